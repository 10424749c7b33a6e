"""Takes from a process what other systems lack: sockets in the file system, and /proc. Put on PYTHONPATH by a lane.

It stands in for macOS and Windows as far as that can be tried on Linux.
"""

import asyncio
import socket
import sys

for _owner, _name in ((socket, "AF_UNIX"), (asyncio, "open_unix_connection"), (asyncio, "start_unix_server")):
    delattr(_owner, _name)


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


socket.socketpair = _pair
sys.addaudithook(_without_proc)
