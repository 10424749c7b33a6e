"""Random interleavings of what changes an encrypted home: store, erase, import, back up, restore, another key; killed.

Each is an order by chance of all of these, some at once, some killed at any moment. What may be in the home after each
is worked out beside it, as the set of states that some order of what was done gives; one of these must be found.

  a store, an import        adds its texts, all or none; acknowledged, all
  an erasure                takes its text out of the home and from no copy; its certificate names each copy that has it
  a backup                  keeps what the home had; copies never change, whatever key they are under
  a restore                 is that copy, all of it, also of what was erased since; what it replaced is kept as a copy
  another key               changes nothing that can be read

So what was acknowledged is in the home or in a copy that a restore has put aside, unless it was erased; and what was
erased is nowhere but in copies and files from before, and comes back only by restoring or importing one of these.
"""

import itertools
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..corpus import sentence
from ..figures import Bar, Figure
from ..run import Run, say
from .acts import KEY, STORE, ActResult, Acts, Doing
from .ledger import new_word

NONE = Bar(at_most=0)
INTERLEAVINGS_A_HOME = 5
KINDS = ("store", "store", "store", "rotate", "restore", "import", "erase", "backup", "export")
KILLED, AT_ONCE, OUTSIDE, WRONG_KEY, BY_PASSPHRASE = 0.35, 0.2, 0.2, 0.2, 0.2
EXAMINED = 0.3
"""How often doctor is asked right after a kill; it always is at the end of an interleaving."""
STRANGERS = 3
"""The texts of a bundle from another home."""
USUAL_S = 0.5
"""How long an act of a kind takes, before any was timed."""
TOLERATED = {"model.found"}
"""Warnings of doctor that are of this benchmark's settings."""

Live = frozenset[str]


@dataclass(frozen=True)
class Act:
    """What is done: a command, and what it makes of what the home has."""

    kind: str
    words: tuple[str, ...]
    after: Callable[[Live], Live]
    text: str = ""
    file: Path | None = None


@dataclass
class Outcome:
    """The totals of all interleavings."""

    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)
    resumed: int = 0
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def note(self, what: str, detail: str) -> None:
        """Note something wrong."""
        say(f"WRONG {what}: {detail[:600]}")
        self.wrong.setdefault(what, []).append(detail[:2_000])


WRONGS = {
    "lost": "acknowledged, not erased, and in neither the home nor a copy",
    "state": "not what any order of the acts gives",
    "copy": "copies changed, gone, or of what the home never had",
    "erased": "words that were erased, in some row of the home",
    "certificate": "copies that have what was erased, and that its certificate does not name",
    "closed": "homes that did not open with their key, or opened with another",
    "doctor": "errors and warnings of doctor",
    "readable": "texts that can be read in a file without the key",
    "crash": "acts that failed without being killed or in another's way",
}


def measure(run: Run) -> Iterator[Figure]:
    """Yield the figures of all interleavings."""
    outcome = play(run, run.rounds)
    name = f"{run.rounds} interleavings, seed {run.random_seed}"
    detail = {"done": dict(outcome.done), "killed": dict(outcome.killed), "refused": dict(outcome.refused)}
    yield Figure(f"{name}: acts", outcome.done.total() + outcome.killed.total(), "", detail=detail)
    yield Figure(f"{name}: acts killed", outcome.killed.total(), "")
    yield Figure(f"{name}: changes of key finished afterwards", outcome.resumed, "")
    for what, meaning in WRONGS.items():
        found = outcome.wrong.get(what, [])
        yield Figure(f"{name}: {meaning}", len(found), "", bar=NONE, detail={"first": found[:5]})


def play(run: Run, count: int) -> Outcome:
    """Play so many interleavings, in homes of at most INTERLEAVINGS_A_HOME each, and return the totals."""
    outcome = Outcome()
    chance = random.Random(run.random_seed)
    for start in range(0, count, INTERLEAVINGS_A_HOME):
        folder = run.scratch / f"interleavings-{start}"
        folder.mkdir(parents=True)
        house = House(folder, outcome, chance)
        end = min(start + INTERLEAVINGS_A_HOME, count)
        for number in range(start, end):
            house.play(is_last=number + 1 == end)
            say(f"{number + 1} of {count}: {outcome.done.total()} acts done, {outcome.killed.total()} killed")
    return outcome


class House:
    """An encrypted home, the folder that its backups are carried to, and what it must have."""

    def __init__(self, folder: Path, outcome: Outcome, chance: random.Random) -> None:
        self._folder, self._outcome, self._chance = folder, outcome, chance
        self._acts = Acts(folder)
        self._home, self._outside = folder / "home", folder / "outside"
        self._key = folder / "key" / "key.json"
        self._passphrase = folder / "passphrase"
        self._passphrase.write_text("a passphrase of six words here\n", encoding="utf-8")
        self._numbers = itertools.count()
        self._live: Live = frozenset()
        self._copies: dict[str, Live] = {}
        self._bundles: dict[Path, Live] = {}
        self._sent: set[str] = set()
        self._acknowledged: set[str] = set()
        self._erased: set[str] = set()
        self._took: dict[str, list[float]] = {}
        self._set_up()

    def play(self, *, is_last: bool = False) -> None:
        """Play one interleaving, and look at the files at its end; at the last one's, at each page."""
        order = list(KINDS)
        self._chance.shuffle(order)
        while order:
            acts = [self._act(order.pop())]
            if order and self._chance.random() < AT_ONCE:
                acts.append(self._act(order.pop()))
            self._do(acts)
        self._at_the_end()
        self._doctor(*(("--deep",) if is_last else ()))

    def _set_up(self) -> None:
        for number in range(2):
            self._bundle_of_another_home(number)
        first = self._new_text()
        for words in (
            (STORE, self._home, first),
            (KEY, self._home, "ann"),
            ("encrypt", "--key-file", self._key, "--home", self._home),
            ("backup", "--home", self._home),
        ):
            self._must(words)
        self._live = frozenset({first})
        self._acknowledged.add(first)
        self._look([self._live])

    def _bundle_of_another_home(self, number: int) -> None:
        home, file = self._folder / f"other-{number}", self._folder / f"other-{number}.jsonl"
        texts = frozenset(self._new_text() for _ in range(STRANGERS))
        for text in texts:
            self._must((STORE, home, text))
        self._must(("export", file, "--home", home))
        self._bundles[file] = texts

    def _must(self, words: tuple[str | Path, ...]) -> ActResult:
        result = self._acts.do(*words)
        if result.code != 0:
            raise RuntimeError(f"{words[0]} ended with {result.code}: {result.text[-500:]}")
        return result

    def _new_text(self) -> str:
        text = f"{new_word()} {sentence(next(self._numbers))}"
        self._sent.add(text)
        return text

    def _act(self, kind: str) -> Act:
        """Choose an act of a kind."""
        at_home = ("--home", str(self._home))
        if kind == "store":
            text = self._new_text()
            return Act(kind, (STORE, str(self._home), text), lambda live: live | {text}, text=text)
        if kind == "erase":
            text = self._chance.choice(sorted(self._live | frozenset(self._acknowledged - self._erased)))
            file = self._folder / f"certificate-{next(self._numbers)}.json"
            words = ("erase", "--subject", text.split()[0], "--certificate", str(file), "--yes", "--json", *at_home)
            return Act(kind, words, lambda live: live - {text}, text=text, file=file)
        if kind == "rotate":
            given = ("--passphrase-file", str(self._passphrase)) if self._chance.random() < BY_PASSPHRASE else ()
            return Act(kind, ("rotate-key", *given, *at_home), lambda live: live)
        if kind == "restore":
            path = self._chance.choice(sorted(self._copies))
            return Act(kind, ("restore", path, "--yes", *at_home), lambda _: self._copies[path])
        if kind == "import":
            bundle = self._chance.choice(sorted(self._bundles))
            held = self._bundles[bundle]
            return Act(kind, ("import", str(bundle), "--yes", *at_home), lambda live: live | held)
        if kind == "export":
            file = self._folder / f"export-{next(self._numbers)}.jsonl"
            return Act(kind, ("export", str(file), *at_home), lambda live: live, file=file)
        to = ("--to", str(self._outside)) if self._chance.random() < OUTSIDE else ()
        return Act("backup", ("backup", *to, *at_home), lambda live: live)

    def _do(self, acts: list[Act]) -> None:
        """Do one act, or two at once, one of them perhaps killed; then look."""
        doing = [self._acts.begin(*act.words) for act in acts]
        began = time.monotonic()
        if self._chance.random() < KILLED:
            usual = statistics.median(self._took.get(acts[0].kind, [USUAL_S]))
            doing[0].kill_after(self._chance.uniform(0, usual * 1.1))
        ends = [self._ended(act, one, began, alone=len(acts) == 1) for act, one in zip(acts, doing, strict=True)]
        possible, passed = _states(self._live, [(act, *end) for act, end in zip(acts, ends, strict=True)])
        before = self._live
        self._look(possible, passed)
        is_plain_case = len(acts) == 1 and ends[0] == (True, True)
        for act, (may, must) in zip(acts, ends, strict=True):
            if act.kind == "erase" and may and act.text not in self._live:
                self._erased.add(act.text)
                if is_plain_case and act.text in before:
                    self._certified(act)
            if act.kind == "export" and must and act.file is not None:
                self._bundles[act.file] = _texts_of(act.file)
        self._nothing_lost()
        if any(end == (True, False) for end in ends) and self._chance.random() < EXAMINED:
            self._doctor()
        self._finish_what_was_killed()

    def _ended(self, act: Act, doing: Doing, began: float, *, alone: bool) -> tuple[bool, bool]:
        """Wait for an act; return whether it may have been done, and whether it must have."""
        result = doing.result()
        if result.code is None:
            self._outcome.killed[act.kind] += 1
            if act.kind == "store" and result.text.startswith("mem_"):
                self._acknowledged.add(act.text)
                return True, True
            return True, False
        self._took.setdefault(act.kind, []).append(time.monotonic() - began)
        done = result.code == 0 or (act.kind == "erase" and act.file is not None and act.file.exists())
        if done:
            self._outcome.done[act.kind] += 1
            if act.kind == "store":
                self._acknowledged.add(act.text)
            return True, True
        was_absent = act.kind == "erase" and result.code == 1 and "nothing was changed" in result.text
        if (alone and not was_absent) or "Traceback" in result.text:
            self._outcome.note("crash", f"{act.kind} ended with {result.code}: {result.text[-800:]}")
        self._outcome.refused[act.kind] += 1
        return False, False

    def _look(self, possible: list[Live], passed: set[Live] | None = None) -> None:
        """Open the home and compare what it and its copies have with what they may have."""
        gone = [text.split()[0] for text in self._erased if all(text not in one for one in possible)]
        result = self._acts.do("look", self._home, self._outside, *gone)
        if result.code != 0:
            self._outcome.note("closed", result.text[-500:])
            return
        found = result.json()
        live = frozenset(found["live"])
        if len(found["live"]) != len(live):
            self._outcome.note("state", f"twice: {[text for text, n in Counter(found['live']).items() if n > 1]}")
        if live not in possible:
            differences = [(sorted(live - one), sorted(one - live)) for one in possible]
            self._outcome.note("state", f"more, missing: {differences}")
        if found["left"]:
            self._outcome.note("erased", str(found["left"]))
        copies = {path: frozenset(texts) for path, texts in found["copies"].items()}
        for path, texts in self._copies.items():
            if copies.get(path) != texts:
                self._outcome.note("copy", f"{path} was {sorted(texts)}, and is {copies.get(path)}")
        for path in copies.keys() - self._copies.keys():
            if copies[path] not in (passed or {self._live}):
                self._outcome.note("copy", f"{path} has {sorted(copies[path])}")
        self._live, self._copies = live, copies

    def _doctor(self, *more: str) -> None:
        result = self._acts.do("doctor", "--json", *more, "--home", self._home)
        try:
            checks = result.json()["checks"]
        except ValueError:
            self._outcome.note("doctor", result.text[-800:])
            return
        pending = self._is_pending()
        for one in checks:
            expected = one["id"] in TOLERATED or (pending and "--resume" in (one["remedy"] or ""))
            if one["status"] in ("warning", "error") and not expected:
                self._outcome.note("doctor", f"{one['id']}: {one['message']}; {one['remedy']}")

    def _certified(self, act: Act) -> None:
        assert act.file is not None
        named = set(json.loads(act.file.read_bytes())["remains"]["files"])
        having = {path for path, texts in self._copies.items() if act.text in texts}
        at_home = {str(Path(path).relative_to(self._home)) for path in having if Path(path).is_relative_to(self._home)}
        if named != at_home:
            self._outcome.note("certificate", f"names {sorted(named)}; {sorted(at_home)} have it")

    def _nothing_lost(self) -> None:
        known = self._live.union(*self._copies.values())
        lost = self._acknowledged - self._erased - known
        if lost:
            self._outcome.note("lost", str(sorted(lost)))

    def _is_pending(self) -> bool:
        return "target" in json.loads((self._home / "encryption.json").read_bytes())

    def _finish_what_was_killed(self) -> None:
        while self._is_pending():
            doing = self._acts.begin("encrypt", "--resume", "--home", self._home)
            if self._chance.random() < KILLED:
                doing.kill_after(self._chance.uniform(0, USUAL_S))
            if doing.result().code == 0:
                self._outcome.resumed += 1
            self._look([self._live])

    def _at_the_end(self) -> None:
        """Look at the files as whoever has no key, then with another home's key."""
        words = {text.split()[0].encode() for text in self._sent}
        for folder in (self._home, self._outside):
            for path in folder.rglob("*"):
                if path.is_file() and any(word in path.read_bytes() for word in words):
                    self._outcome.note("readable", str(path))
        if self._chance.random() < WRONG_KEY:
            right = self._key.read_bytes()
            self._key.write_text(json.dumps([random.Random(1).randbytes(32).hex()]), encoding="utf-8")
            result = self._acts.do("look", self._home, self._outside)
            if result.code == 0 or "not damaged" not in result.text:
                self._outcome.note("closed", f"with another key: {result.code}, {result.text[-300:]}")
            self._key.write_bytes(right)


def _states(live: Live, acts: list[tuple[Act, bool, bool]]) -> tuple[list[Live], set[Live]]:
    """Return what the home may have after some acts in any order, and all that it may have had on the way.

    Each act comes with whether it may have been done, and whether it must.
    """
    ends: set[Live] = set()
    passed: set[Live] = {live}
    for order in itertools.permutations(acts):
        states = {live}
        for act, may, must in order:
            done = {act.after(state) for state in states} if may else set()
            states = done if must else states | done
            passed |= states
        ends |= states
    return sorted(ends, key=sorted), passed


def _texts_of(bundle: Path) -> Live:
    rows = (json.loads(line) for line in bundle.read_bytes().splitlines())
    return frozenset(row["row"]["content"] for row in rows if row.get("table") == "memories")
