from collections.abc import Iterator

from ..figures import Figure
from ..run import Run


def measure(run: Run) -> Iterator[Figure]:
    raise NotImplementedError
