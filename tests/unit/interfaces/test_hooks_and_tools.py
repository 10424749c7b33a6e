"""The tools that hooks watch for, held against the tools that there are."""

from agentos.interfaces.hooks.handler import KEEPING, RECALLING
from agentos.tools.catalog import all_tools

READ_ONLY = {tool.name: tool.read_only for tool in all_tools(None)}


def test_what_hooks_take_for_keeping_are_tools_that_write() -> None:
    assert [name for name in KEEPING if READ_ONLY.get(name) is not False] == []


def test_what_hooks_take_for_recalling_are_tools_that_only_read() -> None:
    assert [name for name in RECALLING if READ_ONLY.get(name) is not True] == []
