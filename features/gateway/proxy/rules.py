"""The rules that a gateway knows: asked of the daemon, kept while it is out, and held against what users say."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Any, Protocol

from ....modules import offload
from ....modules.rules import policy
from ....modules.rules.policy import PolicyFinding, Rule
from .access import ClientAccess

FRESH_S = 5.0
"""How long rules are taken as they were, where nothing else is asked of memory."""
UNHURRIED_S, SOON_S, AGAIN_S = 10.0, 0.2, 60.0
"""How long the daemon may take where no request waits; when it is asked again, until it has answered and later."""
MOST_NAMESPACES = 1_000
UNKNOWN = "unknown"
"""How rules stand of which nothing has been heard yet."""


class Daemon(Protocol):
    """Answers what the gateway asks of memory."""

    problem: str

    async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any] | None:
        """Return the answer; None where there is none in time, and why in `problem`."""


class Rules:
    """The rules of each namespace, as they were heard last."""

    def __init__(self, daemon: Daemon, within_s: float) -> None:
        self._daemon = daemon
        self._within_s = within_s
        self._known: OrderedDict[str, tuple[float, tuple[Rule, ...]]] = OrderedDict()

    def are_fresh(self, namespace: str) -> bool:
        """Return whether a namespace's rules were heard a moment ago."""
        known_at, rules = self._known.get(namespace, (0.0, None))
        return rules is not None and time.monotonic() - known_at < FRESH_S

    def hear(self, namespace: str, answer: dict[str, Any] | None) -> None:
        """Take the rules in an answer of the daemon, if there is one."""
        if answer:
            rules = tuple(Rule(one["id"], one["text"]) for one in answer.get("rules") or ())
            self._known[namespace] = time.monotonic(), rules
            self._known.move_to_end(namespace)
            if len(self._known) > MOST_NAMESPACES:
                self._known.popitem(last=False)

    async def ask(self, access: ClientAccess) -> None:
        """Ask the daemon for the rules, unless they are fresh."""
        if not self.are_fresh(access.namespace):
            await self._ask(access.namespace, access.name, self._within_s)

    async def keep_known(self, namespaces: Collection[str]) -> None:
        """Keep the rules of some namespaces up to date in the background; runs until cancelled.

        A daemon that is slow from the beginning would else leave a gateway that knows no rule.
        """
        while True:
            for namespace in namespaces:
                if not self.are_fresh(namespace):
                    await self._ask(namespace, "gateway", UNHURRIED_S)
            is_known = all(namespace in self._known for namespace in namespaces)
            await asyncio.sleep(AGAIN_S if is_known else SOON_S)

    async def _ask(self, namespace: str, client: str, within_s: float) -> None:
        asked = {"what": "recall", "namespace": namespace, "client": client, "max_tokens": 0}
        self.hear(namespace, await self._daemon.ask(asked, within_s))

    async def judge(self, namespace: str, order: Sequence[str]) -> tuple[PolicyFinding, str]:
        """Return the verdict on an order, by the rules as they are known, and how they stand, in words."""
        if not order:
            return PolicyFinding(), "allow"
        _, rules = self._known.get(namespace, (0.0, None))
        if rules is None:
            return PolicyFinding(), UNKNOWN
        finding = await offload.read(offload.length(order), policy.judged, order, rules)
        about = f"; {finding.action} {finding.rule.id}" if finding.rule else ""
        return finding, f"{finding.verdict}{about}"

    async def refuse_unseen(self, access: ClientAccess) -> bool | None:
        """Return whether any rule may refuse a request, so that one that cannot be read must not pass.

        None where no rules are known.
        """
        await self.ask(access)
        _, rules = self._known.get(access.namespace, (0.0, None))
        return None if rules is None else await offload.read(len(rules) * 200, policy.may_refuse, rules)
