"""Takes from a process what other systems lack: sockets in the file system, and /proc. Put on PYTHONPATH by a lane.

It stands in for macOS and Windows as far as that can be tried on Linux.
"""

import socket
import sys

_UNIX = socket.AF_UNIX
del socket.AF_UNIX


def _for_libraries(name: str) -> object:
    """Give the family of sockets in files to libraries, which go by the name of the system; to us there is none."""
    if name != "AF_UNIX" or sys._getframe(1).f_globals["__name__"].partition(".")[0] in ("agentos", "tests"):
        raise AttributeError(f"module 'socket' has no attribute '{name}'")
    return _UNIX


def _pair(*_: int) -> tuple[socket.socket, socket.socket]:
    """Connect two sockets through a port of this machine, as Windows does."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        one = socket.socket()
        one.connect(listener.getsockname())
        return one, listener.accept()[0]


def _without_proc(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and arguments and _is_in_proc(arguments[0]):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])


def _is_in_proc(path: object) -> bool:
    return isinstance(path, str) and (path == "/proc" or path.startswith("/proc/"))


socket.__getattr__ = _for_libraries  # type: ignore[method-assign]
socket.socketpair = _pair
sys.addaudithook(_without_proc)
