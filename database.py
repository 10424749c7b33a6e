"""Opens the storage and the models that the settings ask for; the only file that knows which kinds there are.

What opens them is imported where it is opened: a command that looks at a store loads no model and no service.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import SecretStr

from .config import BUNDLED, Settings, index_environment, use_one_thread_for_arithmetic
from .modules import update_lock
from .modules.clock import Clock, SharedClock
from .modules.errors import Conflict, InvalidInput, StorageRefused, StorageUnavailable, WrongSettings
from .modules.store import Store
from .modules.system.heap import bound_arenas
from .modules.system.threads import hand_over_quickly

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from contextlib import AbstractAsyncContextManager

    from .modules.agentos import AgentOS
    from .modules.approvals.decisions import Decisions
    from .modules.backup.service import BackupService
    from .modules.health.models import Check
    from .modules.health.overview import StoreOverview
    from .modules.language.ports import LanguageModel
    from .modules.memory.ports import Embedder, PairJudge, VectorIndex
    from .modules.portability.models import Moved
    from .modules.portability.models import Progress as MoveProgress
    from .modules.principals.logins import LoginLinks
    from .modules.redaction.models import Scrub
    from .modules.sessions.ports import CheckoutReader
    from .storage.embedding.adapted_examination import ExaminedModel
    from .storage.embedding.calibrations import CalibrationFiles
    from .storage.embedding.endpoint import Endpoint
    from .storage.embedding.examination import Generations, ModelChecks
    from .storage.embedding.remote_examination import ServerChecks
    from .storage.engine.ports import Engine
    from .storage.language.remote import LanguageServer
    from .storage.moving.targets import OpenTarget
    from .storage.others import OtherStores
    from .storage.postgres.examination import PostgresChecks
    from .storage.postgres.tenant_office import TenantOffice as TenantOffice
    from .storage.repositories.scrub import ScrubRows
    from .storage.sqlite.chroma_server import ChromaAddress
    from .storage.sqlite.reencryption import HomeEncryption as HomeEncryption


class OpenedStore(Store, Protocol):
    """An open store, independent of its engine."""

    @property
    def engine(self) -> Engine: ...
    @property
    def scrub(self) -> ScrubRows: ...

    def vector_index(self, folder: Path, environment: Mapping[str, str] | None = None) -> VectorIndex:
        """Return the derived index, which may keep files in a folder; one process at a time may open it."""

    async def close(self) -> None:
        """Finish running writes, and let go of the database."""


async def open_store(settings: Settings, clock: Clock) -> OpenedStore:
    """Open the store. Raises StorageUnavailable or StorageRefused, each with its remedy."""
    if (owner := update_lock.updater(settings.home)) is not None:
        raise StorageUnavailable(update_lock.waiting_message(owner))
    if settings.uses_postgres:
        return await _require_complete(await _open_postgres(settings, clock))
    from .storage.sqlite.store import SqliteStore

    network, chroma = settings.allow_network_home, _chroma_server(settings)
    return await SqliteStore.open(settings.home, settings.database, clock, allow_network_home=network, chroma=chroma)


def _chroma_server(settings: Settings) -> ChromaAddress | None:
    """Return the server that holds the vector index instead of a child process; None if the settings name none."""
    from .storage.sqlite.chroma_server import ChromaAddress

    token = settings.chroma_token.get_secret_value()
    return ChromaAddress(settings.chroma_url, token, settings.offline) if settings.chroma_url else None


async def migrate(settings: Settings, clock: Clock, *, backup: bool = True) -> None:
    """Bring the store to the newest schema, as opening it does; on PostgreSQL without a backup, if so wished."""
    as_ever = backup or not settings.uses_postgres
    store = await (open_store(settings, clock) if as_ever else _open_postgres(settings, clock, backup=False))
    await store.close()


async def _open_postgres(settings: Settings, clock: Clock, *, backup: bool = True) -> OpenedStore:
    try:
        from .storage.postgres.store import PostgresStore
    except ModuleNotFoundError as error:
        raise _without_driver() from error
    store = await PostgresStore.open(
        settings.home,
        settings.database_url,
        clock,
        schema=settings.database_schema,
        tenant=settings.database_tenant,
        backup=backup,
        direct=settings.database_direct_url,
        replica=settings.replica,
    )
    if isinstance(clock, SharedClock):
        await clock.follow(store.engine.time)
    return store


def _without_driver() -> StorageRefused:
    from .modules.installing import INSTALL_POSTGRES_EXTRA

    return StorageRefused(f"PostgreSQL needs its driver: {INSTALL_POSTGRES_EXTRA}")


async def _require_complete(store: OpenedStore) -> OpenedStore:
    """Return a store that no move has left half. Raises StorageRefused."""
    from .storage.moving.copying import is_unfinished

    if await is_unfinished(store.engine):
        await store.close()
        raise StorageRefused(
            "a move into this store was interrupted: run the same agentos migrate --to again, with the same settings"
        )
    return store


async def move(settings: Settings, to: str, clock: Clock, progress: MoveProgress) -> Moved:
    """Copy all that the store holds to another engine: `postgresql://…`, or `sqlite:` and a path, the home's without.

    Whatever ends it, the same call goes on. Raises InvalidInput, Conflict while a daemon of this home runs or where
    the target holds something, StorageUnavailable, StorageRefused.
    """
    from filelock import FileLock, Timeout

    from .storage.moving.copying import move as copy_all
    from .storage.moving.copying import require_same_faults

    prepare_home(settings)
    try:
        with FileLock(settings.database.with_name("daemon.lock"), timeout=0, mode=0o600):
            source = await open_store(settings, clock)
            try:
                async with _target(settings, to, clock) as target:
                    moved = await copy_all(source.engine, target.target, progress)
                    await require_same_faults(source.sharing.audit, target.audit)
                    return moved
            finally:
                await source.close()
    except Timeout as error:
        raise Conflict("a daemon runs for this home: nothing was changed; end its sessions, then try again") from error


def _target(settings: Settings, to: str, clock: Clock) -> AbstractAsyncContextManager[OpenTarget]:
    from .storage.moving.into_postgres import in_postgres
    from .storage.moving.targets import in_sqlite

    if to.startswith(("postgresql://", "postgres://")):
        if to == settings.database_url:
            raise InvalidInput("--to", "is where the store already is")
        return in_postgres(settings.home, to, clock, schema=settings.database_schema, tenant=settings.database_tenant)
    if not to.startswith("sqlite:"):
        raise InvalidInput("--to", "must be postgresql://… or sqlite:PATH")
    named = to.removeprefix("sqlite:").removeprefix("//")
    return in_sqlite(Path(named).expanduser().resolve() if named else settings.home / "agentos.db", clock)


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedding model, loaded at first use; it remembers no query. Without one, words are searched."""
    from .storage.embedding.encoder import Encoder
    from .storage.embedding.lazy import LazyEmbedder, NoEmbedder
    from .storage.embedding.loader import load_encoder
    from .storage.embedding.remote import RemoteEmbedder
    from .storage.embedding.stub import NAME as STUB
    from .storage.embedding.stub import StubEmbedder

    if settings.embedding_model == "none":
        return NoEmbedder()
    if settings.embedding_model == STUB:
        return StubEmbedder()
    if settings.embedding_url:
        return RemoteEmbedder(_endpoint(settings), offline=settings.offline, remembers=0)

    def load() -> Encoder:
        from . import model_files

        if settings.has_default_embedder:
            model_files.borrow_model(settings)
        return load_encoder(settings.embedding_model, settings.offline, settings.home / "models")

    return LazyEmbedder(load, late_interaction=settings.late_interaction, remembers=0)


def earlier_embedder(settings: Settings) -> Callable[[str], Embedder | None]:
    """Return what opens the model that made vectors of a name; None where it is not on this machine. No download."""
    from .storage.embedding.lazy import LazyEmbedder
    from .storage.embedding.loader import load_encoder
    from .storage.embedding.locate import EmbeddingUnavailable, locate

    models = settings.home / "models"

    def open_(name: str) -> Embedder | None:
        model = name.partition("@")[0]
        try:
            locate(model, True, models)
        except EmbeddingUnavailable:
            return None
        late = settings.late_interaction
        return LazyEmbedder(lambda: load_encoder(model, True, models), late_interaction=late, remembers=0)

    return open_


def kept_calibrations(settings: Settings) -> CalibrationFiles | None:
    """Return what keeps what was measured of embedding models; None where the model means nothing."""
    from .storage.embedding.calibrations import CalibrationFiles
    from .storage.embedding.stub import NAME as STUB

    is_none = settings.embedding_model in ("none", STUB)
    return None if is_none else CalibrationFiles(settings.home / "models")


def _endpoint(settings: Settings) -> Endpoint:
    from .storage.embedding.endpoint import Endpoint

    return Endpoint(settings.embedding_url, settings.embedding_model, settings.embedding_api_key.get_secret_value())


def open_language_model(settings: Settings) -> LanguageModel | None:
    """Return the language model, asked at first use; None where the settings name none. The caller closes it."""
    from .modules.language.fallback import ModelsInTurn
    from .storage.language.remote import RemoteLanguageModel

    servers = _language_servers(settings)
    models = [
        RemoteLanguageModel(server, offline=settings.offline, timeout_s=settings.llm_timeout_s) for server in servers
    ]
    return ModelsInTurn(models) if len(models) > 1 else next(iter(models), None)


def _language_servers(settings: Settings) -> list[LanguageServer]:
    """The server that the settings name, and the one that is asked where it fails."""
    from .storage.language.remote import LanguageServer

    named = (
        (settings.llm_provider, settings.llm_url, settings.llm_model, settings.llm_api_key),
        (
            settings.llm_fallback_provider,
            settings.llm_fallback_url,
            settings.llm_fallback_model,
            settings.llm_fallback_api_key,
        ),
    )
    wanted = [one for one in named if one[0] != "none"]
    return [LanguageServer(kind, url, model, key.get_secret_value()) for kind, url, model, key in wanted]


def open_reranker(settings: Settings) -> PairJudge | None:
    """Return the reranker, loaded at the first search; None where none is wanted."""
    from .storage.embedding.adapted_model import load_relevance_model
    from .storage.embedding.cross_encoder import load_reranker
    from .storage.embedding.lazy import LazyPairModel
    from .storage.embedding.locate import RELEVANCE, RERANKER, has_default_weights

    models = settings.home / "models"
    if settings.has_bundled_reranker and settings.has_default_embedder:
        return LazyPairModel(RELEVANCE, lambda: load_relevance_model(models, weights=settings.embedding_model))
    if settings.has_bundled_reranker:  # beside another embedding model it is welcome, but nothing is missing without it
        return LazyPairModel(RELEVANCE, lambda: load_relevance_model(models)) if has_default_weights(models) else None
    is_named = settings.reranker_model not in ("none", BUNDLED)
    return LazyPairModel(RERANKER, lambda: load_reranker(settings.reranker_model, models)) if is_named else None


def open_succession_model(settings: Settings) -> PairJudge | None:
    """Return the model that judges whether a statement supersedes an older one; None where none is wanted.

    It is loaded at the first store.
    """
    from .storage.embedding.adapted_model import load_succession_model
    from .storage.embedding.lazy import LazyPairModel
    from .storage.embedding.locate import SUCCESSION

    if _is_without_succession(settings):
        return None
    return LazyPairModel(SUCCESSION, lambda: load_succession_model(settings.home / "models"))


def _is_without_succession(settings: Settings) -> bool:
    """Return whether no succession model is wanted: it judges near neighbours, and without vectors there are none."""
    return not settings.second_opinion or settings.embedding_model == "none"


def vector_index(store: OpenedStore, settings: Settings) -> VectorIndex:
    """Return the derived vector index, not yet opened; only the daemon may open it."""
    return store.vector_index(settings.chroma, index_environment())


def prepare_home(settings: Settings) -> None:
    """Create the data folders, or check the existing ones. Blocks. Raises StorageUnavailable and its subclasses."""
    from .storage.sqlite import folder

    folder.prepare_both(settings.home, settings.database, allow_network=settings.allow_network_home)


@contextmanager
def scratch(settings: Settings) -> Iterator[Path]:
    """Yield a private folder in the home, which is removed at the end; the next opening removes it after a kill."""
    from .storage.sqlite.scratch import scratch as folder

    prepare_home(settings)
    with folder(settings.home) as own:
        yield own


def backups(settings: Settings, clock: Clock) -> BackupService:
    """Return the backups of a store, which need be neither open nor sound."""
    from .modules.backup.service import BackupService
    from .storage.sqlite.backup import SqliteBackups

    if settings.uses_postgres:
        from .storage.postgres.dumps import Dumps

        return BackupService(Dumps(settings.home, *_server(settings)), settings.backup_keep, clock)
    return BackupService(SqliteBackups(settings.home, settings.database), settings.backup_keep, clock)


def put_aside(settings: Settings, text: str) -> list[str]:
    """Return the tables that restores put aside and that hold a text, or may. Blocks. Raises StorageUnavailable."""
    if not settings.uses_postgres:
        return []
    from .storage.postgres.replaced import holding

    return holding(*_server(settings), text)


def tenants(settings: Settings, clock: Clock) -> TenantOffice:
    """Return what is done with the stores of a database. Raises WrongSettings where there are none."""
    if not settings.uses_postgres:
        raise WrongSettings("tenants need PostgreSQL: set AGENTOS_DATABASE_URL=postgresql://…")
    from .storage.postgres.tenant_office import TenantOffice

    return TenantOffice(settings.home, *_server(settings), clock)


def _server(settings: Settings) -> tuple[str, str]:
    return settings.database_direct_url or settings.database_url, settings.database_schema


async def scrub(settings: Settings, clock: Clock, *, apply: bool) -> Scrub:
    """Look for secrets in what is stored; with `apply`, replace them with markers. Raises StorageUnavailable."""
    store = await open_store(settings, clock)
    try:
        return await store.scrub.run(clock(), apply=apply)
    finally:
        await store.close()


def place_in_vault(url: str, token_file: Path) -> str:
    """Return the place of a home's key that Vault wraps. Raises InvalidInput."""
    from .storage.sqlite import vault

    return vault.named(url, str(token_file)).place


def encryption(settings: Settings, report: Callable[[str], None]) -> HomeEncryption:
    """Return the encryption of a home's files; `report` is given the name of each that is changed."""
    from .storage.sqlite.reencryption import HomeEncryption

    if settings.uses_postgres:
        raise StorageRefused("this store is in PostgreSQL: encrypt its server's disk")
    return HomeEncryption(settings.home, settings.database, settings.chroma, report)


def overview(settings: Settings, clock: Clock) -> StoreOverview:
    """Return what a store holds, read without opening it. Blocks; nothing is created or changed."""
    if settings.uses_postgres:
        from .storage.postgres.overview import overview as read_from_server

        of = (settings.database_url, settings.database_schema, settings.database_tenant)
        return read_from_server(settings.home, *of, settings.replica, clock())
    from .storage.sqlite.examination.overview import overview as read_overview

    return read_overview(settings.home, settings.database, settings.chroma, clock())


@contextmanager
def health_checks(settings: Settings, clock: Clock, *, deep: bool) -> Iterator[list[Check]]:
    """Yield the checks of a store and its models, whatever state they are in; nothing is opened, created or changed."""
    from .storage.embedding.examination import remembering
    from .storage.examination import newest
    from .storage.sqlite.examination import files
    from .storage.sqlite.examination.everything import all_checks
    from .storage.sqlite.examination.subject import Subject

    subject = Subject(
        settings.home,
        settings.database,
        settings.chroma,
        settings.allow_network_home,
        deep,
        clock,
        _chroma_server(settings),
    )
    looks = newest.looks(at_secrets=settings.redact_secrets, at_languages=not _is_without_succession(settings))
    with closing(subject.reader), remembering(settings.home / "models", deep=deep) as known:
        if settings.uses_postgres:
            with _postgres_checks(settings, clock, deep=deep) as postgres:
                looked_at = looks(postgres.reader, ("database.schema",))
                models = _models_checks(settings, known, postgres.generations, deep=deep)
                yield [*files.checks(subject), *postgres.checks(), *looked_at, *models]
            return
        looked_at = looks(subject.reader, ("database.schema", "database.identity"))
        yield [*all_checks(subject), *looked_at, *_models_checks(settings, known, subject.generations, deep=deep)]


@contextmanager
def _postgres_checks(settings: Settings, clock: Clock, *, deep: bool) -> Iterator[PostgresChecks]:
    try:
        from .storage.postgres.examination import PostgresChecks
        from .storage.postgres.reading import PostgresReader
    except ModuleNotFoundError as error:
        raise _without_driver() from error
    with closing(PostgresReader(settings.database_url, settings.database_schema, settings.database_tenant)) as reader:
        yield PostgresChecks(reader, settings.home, clock, deep, settings.database_direct_url, settings.replica)


def _models_checks(settings: Settings, known: Path, generations: Generations, *, deep: bool) -> list[Check]:
    from .storage.embedding.adapted_examination import AdaptedChecks

    adapted = [
        check
        for one in _adapted_models(settings)
        for check in AdaptedChecks(one, settings.home / "models", known, deep=deep).checks()
    ]
    model = _model_checks(settings, known, generations, deep=deep).checks()
    if not settings.has_default_embedder and kept_calibrations(settings) is not None:
        from .storage.embedding import calibrations

        model.append(calibrations.check(settings.home / "models", generations))
    return [*model, *adapted, *_language_checks(settings, deep=deep)]


def _adapted_models(settings: Settings) -> list[ExaminedModel]:
    """Return the models that judge pairs of texts (succession, relevance), as far as the settings want them."""
    from .storage.embedding.adapted_examination import RELEVANCE_MODEL, SUCCESSION_MODEL

    wanted = (
        (SUCCESSION_MODEL, not _is_without_succession(settings)),
        (RELEVANCE_MODEL, settings.has_bundled_reranker),
    )
    return [model for model, is_wanted in wanted if is_wanted]


def _model_checks(
    settings: Settings, known: Path, generations: Generations, *, deep: bool
) -> ModelChecks | ServerChecks:
    from .storage.embedding.examination import ModelChecks
    from .storage.embedding.remote_examination import ServerChecks

    if settings.embedding_url and settings.embedding_model != "none":
        return ServerChecks(_endpoint(settings), generations, offline=settings.offline, deep=deep)
    return ModelChecks(
        settings.embedding_model,
        settings.home / "models",
        known,
        generations,
        late_interaction=settings.late_interaction,
        deep=deep,
    )


def _language_checks(settings: Settings, *, deep: bool) -> list[Check]:
    from .storage.language.examination import LanguageChecks

    servers = _language_servers(settings)[:1]  # the one that is asked first
    return [
        check
        for server in servers
        for check in LanguageChecks(
            server, offline=settings.offline, timeout_s=settings.llm_timeout_s, deep=deep
        ).checks()
    ]


@asynccontextmanager
async def opened_for_decisions(settings: Settings, clock: Clock) -> AsyncIterator[tuple[AgentOS, Decisions]]:
    """Yield the services over an open store, and the human's side of approvals, which no other entry point gets."""
    from .modules.agentos import AgentOS
    from .modules.approvals.decisions import Decisions

    store = await open_store(settings, clock)
    agentos = AgentOS.over(store, open_embedder(settings), settings, clock)
    try:
        yield agentos, Decisions(store.work.approvals, clock)
    finally:
        await agentos.close()
        await store.close()


def login_links(settings: Settings, clock: Clock) -> LoginLinks:
    """Return what makes links that sign a browser in. Whoever can read the home may do that."""
    from .modules.principals.logins import LoginLinks
    from .storage.server_key import ServerKeyFile

    return LoginLinks(ServerKeyFile(settings.home), clock)


@asynccontextmanager
async def opened(
    settings: Settings, clock: Clock, *, is_own_process: bool = True
) -> AsyncIterator[tuple[AgentOS, VectorIndex]]:
    """Yield the services over an open store, and the vector index, not yet opened; close the store at the end.

    In the process of somebody else's program its threads and heaps stay as they are.
    """
    async with opened_for_many(settings, clock, is_own_process=is_own_process) as (agentos, index, _, _):
        yield agentos, index


@asynccontextmanager
async def opened_for_many(
    settings: Settings, clock: Clock, *, is_own_process: bool = True
) -> AsyncIterator[tuple[AgentOS, VectorIndex, Decisions, OtherStores | None]]:
    """Yield what `opened` does, the human's side of approvals, not for agents, and the other stores, if wanted."""
    from .features import registered
    from .modules.agentos import AgentOS
    from .modules.approvals.decisions import Decisions
    from .modules.plugins.feature import given_by, with_parts
    from .storage.embedding.lent import Models
    from .storage.git.checkouts import GitCheckouts
    from .storage.others import OtherStores
    from .storage.repositories.kept_by_gateway import KeptByGateway
    from .storage.repositories.kept_files import KeptFiles

    if is_own_process:
        use_one_thread_for_arithmetic()
        hand_over_quickly()
        bound_arenas()
    store = await open_store(settings, clock)
    judges = (open_reranker(settings), open_succession_model(settings))
    models = Models(open_embedder(settings), *judges, open_language_model(settings))
    on = registered(settings.features)

    def wired(store: OpenedStore, settings: Settings, checkouts: CheckoutReader | None = None) -> AgentOS:
        each = models.lent()
        beside = (each.embedder, settings, clock, each.reranker, checkouts, each.language, each.succession)
        agentos = AgentOS.over(
            store,
            *beside,
            open_earlier=earlier_embedder(settings),
            calibrations=kept_calibrations(settings),
            kept_files=KeptFiles(store.engine),
            left_by_gateway=KeptByGateway(store.engine),
            **given_by(on, store.engine, settings),
        )
        return with_parts(agentos, on, "wired", store.engine, settings)

    own = wired(store, settings, GitCheckouts(settings.hook_skip_folders.split(",")))
    agentos = with_parts(own, on, "at_home", store.engine, settings)
    theirs = settings.model_copy(update={"approval_webhook": SecretStr(""), "backup_keep": 0})
    try:
        others = OtherStores(store, lambda each: wired(each, theirs)) if settings.database_tenants else None
        yield agentos, vector_index(store, settings), Decisions(store.work.approvals, clock), others
    finally:
        await agentos.close()
        await models.close()
        await store.close()
