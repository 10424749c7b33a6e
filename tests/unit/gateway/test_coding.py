"""What strangers send is bounded before it is unfolded."""

import pytest

from agentos.features.gateway.proxy import coding


def test_a_body_is_unfolded_a_few_times_at_most() -> None:
    assert coding.plain(b"body", "identity, identity") == b"body"
    with pytest.raises(ValueError, match="more than 4"):
        coding.plain(b"body", ",".join(["identity"] * 10_000))
