"""The socket that the HTTP server listens at; a command looks with it whether an address is free."""

import socket


def bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address, the port 0 being any that is free. Raises OSError, naming the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # By its number: asyncio sends at once (TCP_NODELAY) only where a socket says that it is of TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        message = f"cannot listen at {host}:{port}: {error.strerror or error}; AGENTOS_HTTP names another address"
        raise OSError(error.errno, f"{message}, as --listen of agentos serve does") from error
    listener.setblocking(False)
    return listener
