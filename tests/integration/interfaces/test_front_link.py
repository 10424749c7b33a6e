"""The front's link to its daemon: which ends of daemons make a session go on in its own process."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.link import MAX_EARLY_LOSSES, MAX_LOSSES, STEADY_S, FrontLink
from agentos.interfaces.stdio.front.place import Place

TRIES = 10_000_000
"""So often a link that never connects is polled before the test gives up."""


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A home in which something takes every session."""
    place = Place(tmp_path, True, {})
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener, contextlib.ExitStack() as taken:
        listener.bind(str(place.socket))
        listener.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):  # the test has ended
                while True:
                    connection = taken.enter_context(listener.accept()[0])
                    connection.recv(2**16)
                    connection.sendall(hello.answer(accepted=True))

        server = threading.Thread(target=serve)
        server.start()
        yield place
        listener.shutdown(socket.SHUT_RDWR)
        server.join()


def session(link: FrontLink) -> socket.socket:
    return next(connection for _ in range(TRIES) if (connection := link.poll()) is not None)


def test_daemons_that_served_for_a_while_may_end_often(place: Place) -> None:
    clock = Clock()
    link = FrontLink(place, lambda connection: None, clock)
    for _ in range(MAX_LOSSES):
        session(link).close()
        clock.now += STEADY_S
        link.lost()
    assert not link.alone
    session(link).close()
    clock.now += STEADY_S
    link.lost()
    assert link.alone


def test_daemons_that_end_at_once_again_and_again_are_given_up(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    served: list[socket.socket] = []
    link = FrontLink(place, served.append, clock)
    for _ in range(MAX_EARLY_LOSSES):
        session(link).close()
        link.lost()
    assert not link.alone
    session(link).close()
    link.lost()
    assert link.alone and "serving in process: the daemon ended again and again" in capsys.readouterr().err
    session(link).close()
    assert len(served) == 1
    served[0].close()


def test_one_steady_daemon_makes_up_for_those_before_it(place: Place) -> None:
    clock = Clock()
    link = FrontLink(place, lambda connection: None, clock)
    for steady_s in (0.0, 0.0, 0.0, 0.0, 0.0, STEADY_S, 0.0, 0.0, 0.0, 0.0, 0.0):
        session(link).close()
        clock.now += steady_s
        link.lost()
    assert not link.alone
