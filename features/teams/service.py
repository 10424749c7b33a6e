"""The team service: previews a manifest, and gives a store what it says; each step may be done again."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...modules.agentos import AgentOS
from ...modules.branches.models import Demand
from ...modules.branches.service import BranchService
from ...modules.clock import Clock
from ...modules.context.lessons import TAG, trigger_of
from ...modules.errors import Conflict, InvalidInput
from ...modules.memory.lifecycle_service import LifecycleService
from ...modules.memory.models import MemoryType
from ...modules.memory.service import MemoryChanges, MemoryService
from ...modules.principals.models import Caller
from ...modules.principals.service import PrincipalService
from ...modules.records import dataclass
from ...modules.redaction.redactor import SecretRedactor
from ...modules.store_request import StoreRequest
from ...storage.engine.ports import Engine
from .manifest import FORMAT, LIMITS, Applied, Manifest, TeamInstruction
from .rows import TeamRows

IMPORTANCE = 0.8


@dataclass(frozen=True)
class TeamService:
    """Manifests over one store. Whose signature counts is judged before, by the home's registry of keys."""

    rows: TeamRows
    principals: PrincipalService
    branches: BranchService
    memory: MemoryService
    lifecycle: LifecycleService
    clock: Clock

    @classmethod
    def over(cls, engine: Engine, agentos: AgentOS) -> "TeamService":
        """Return the manifests of the store of an engine."""
        rows, clock = TeamRows(engine), agentos.clock
        return cls(rows, agentos.principals, agentos.branches, agentos.memory, agentos.lifecycle, clock)

    async def applied(self) -> list[Applied]:
        """Return the manifests that were applied, by id."""
        return await self.rows.applied_everywhere()

    async def draft(
        self,
        caller: Caller,
        team: str,
        label: str,
        version: int | None,
        keys: Sequence[Mapping[str, Any]],
        settings: Mapping[str, str],
        namespaces: Sequence[str],
    ) -> dict[str, Any]:
        """Return a manifest of some namespaces, unsigned: their policies, reviews, rules; `version` None is the next.

        Raises PermissionDenied for a namespace that the caller does not administer.
        """
        before = next((one.version for one in await self.applied() if one.id == team), 0)
        document: dict[str, Any] = {
            "agentos_team": FORMAT,
            "id": team,
            "label": label,
            "version": version or before + 1,
            "keys": list(keys),
            "settings": dict(settings),
        }
        policies, governance, rules = [], [], []
        for name in namespaces:
            policy = await self.principals.rows.policy(caller.administering(name))
            held = {one: value for one in LIMITS if (value := getattr(policy.limits, one)) is not None}
            target = {} if policy.target is None else {"target": policy.target}
            policies.append({"name": name, "reads": list(policy.reads), **target, **held})
            review = await self.branches.governance(caller, name)
            watched = {
                field: [str(one) for one in review.watches if one.demands is demand]
                for field, demand in (("watch", Demand.REVIEW), ("notify", Demand.NOTIFY))
            }
            governance.append({"namespace": name, "review": review.review.value, **watched})
            for rule in await self.memory.vouched(name, TAG):
                trigger = trigger_of(rule)
                when = {"tools": _listed(trigger.get("tool")), "contains": _listed(trigger.get("contains"))}
                rules.append({"namespace": name, "text": rule.content, **{k: v for k, v in when.items() if v}})
        return document | {"namespaces": policies, "governance": governance, "rules": rules}

    async def current(self, manifest: Manifest, successors: Mapping[str, str]) -> Applied | None:
        """Return the edition that is applied; None for a team that is new here.

        `successors` names the keys that came in the place of revoked ones. Raises Conflict for an older edition,
        another one of the same version, or one that another key signed than the edition before.
        """
        before = next((one for one in await self.applied() if one.id == manifest.id), None)
        if before is None:
            return None
        if manifest.signer not in (before.signer, successors.get(before.signer)):
            raise Conflict(f"{manifest.id} is signed by {manifest.signer}, the edition before by {before.signer}")
        if manifest.version < before.version:
            raise Conflict(f"{manifest.id} has version {before.version} here; this is the older {manifest.version}")
        if manifest.version == before.version and manifest.digest != before.digest:
            raise Conflict(f"{manifest.id} has another version {manifest.version} here: its signer has to raise it")
        return before

    async def check(self, caller: Caller, manifest: Manifest) -> None:
        """Raise InvalidInput for a manifest with a secret in it, PermissionDenied for what the caller does not own."""
        for namespace in manifest.touched:
            caller.administering(namespace)
        looked = SecretRedactor(enabled=True)
        texts: dict[str, Any] = {
            "label": manifest.label,
            "rules": [[rule.text, *rule.tools, *rule.contains] for rule in manifest.rules],
            "settings": dict(manifest.settings),
            "namespaces": [*manifest.touched, *([*one.reads, one.target or ""] for one in manifest.namespaces)],
            "watches": [watch.value for rules in manifest.governance for watch in rules.watches],
            "authors": [str(key.get("author")) for key in manifest.keys],
            "catalogs": [[catalog.get("id"), catalog.get("label")] for catalog in manifest.catalogs],
        }
        if kinds := await looked.kinds(texts):
            raise InvalidInput("manifest", f"contains what looks like a secret ({', '.join(kinds)}); take it out")

    async def apply(self, caller: Caller, manifest: Manifest, *, confirmed: bool) -> None:
        """Apply a manifest to the store; other data stays. Raises AgentOSError.

        Its rules are rules where a person `confirmed` it at a terminal, else they are suggestions. The edition is noted
        last: where a process was killed before, the same again does the rest.
        """
        await self.check(caller, manifest)
        for policy in manifest.namespaces:
            there = (await self.principals.rows.policy(policy.name)).reads
            reads = tuple(dict.fromkeys((*there, *policy.reads)))
            await self.principals.set_policy(caller, policy.name, reads or None, policy.target, policy.limits)
        for rules in manifest.governance:
            await self.branches.govern(caller, rules.namespace, rules.review, rules.watches)
        for rule in manifest.rules:
            await self._keep(manifest, rule, confirmed=confirmed)
        applied = Applied(manifest.id, manifest.label, manifest.version, manifest.signer, manifest.digest, self.clock())
        await self.rows.note_everywhere(applied, caller.default)

    async def _keep(self, manifest: Manifest, rule: TeamInstruction, *, confirmed: bool) -> None:
        trigger = {"tool": list(rule.tools) or ["*"]} | ({"contains": list(rule.contains)} if rule.contains else {})
        metadata: dict[str, Any] = {"trigger": trigger} if rule.tools or rule.contains else {}
        kind, source = MemoryType.PROCEDURAL, f"team:{manifest.id}"
        request = StoreRequest(rule.text, kind, IMPORTANCE, [TAG], metadata, source=source, kind="rule")
        stored = await self.memory.store(rule.namespace, request)
        memory = stored.memory
        if not confirmed or memory.id in {one.id for one in await self.memory.vouched(rule.namespace, TAG)}:
            return
        if stored.duplicate:  # whoever stored the text first did not decide when and where it holds
            changes = MemoryChanges(None, kind, IMPORTANCE, [TAG], metadata)
            memory = await self.memory.update(rule.namespace, memory.id, changes)
        await self.lifecycle.vouch(rule.namespace, memory)


def _listed(value: object) -> list[str]:
    several = value if isinstance(value, list) else [value]
    return [one for one in several if isinstance(one, str) and one]
