"""What the C library keeps of freed memory."""

import platform

import pytest

from agentos.modules.system.heap import bound_arenas, give_back
from agentos.modules.system.processes import resident_bytes

MIB = 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="elsewhere it does nothing")
def test_what_was_freed_below_something_kept_is_given_back() -> None:
    bound_arenas()
    pieces = [bytearray(64 * 1024) for _ in range(64 * 16)]
    pieces = pieces[-1:]
    before = resident_bytes()
    give_back()
    after = resident_bytes()
    assert before is not None and after is not None and before - after > 32 * MIB, pieces[0][:1]
