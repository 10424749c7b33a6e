"""A network to a server that may be cut: what is sent meanwhile is gone, and nobody is told."""

import asyncio
from types import TracebackType
from typing import Self

AT_ONCE = 65_536


class Network:
    """Passes connections of a port of its own on to another port of this machine."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server: asyncio.Server | None = None
        self._passing: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._is_cut = False
        self._broken: set[asyncio.StreamWriter] = set()
        self.dropped = 0

    @property
    def port(self) -> int:
        """The port that leads to the server."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._passing):
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    async def cut(self, seconds: float) -> None:
        """Drop all that is sent for a while; then end the connections that something is missing of, as their ends do
        once nothing was acknowledged for long."""
        self._is_cut = True
        await asyncio.sleep(seconds)
        self._is_cut = False
        for writer in self._broken:
            writer.transport.abort()
        self._broken.clear()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        both = (writer, to_writer)
        for source, target in ((reader, to_writer), (to_reader, writer)):
            task = asyncio.create_task(self._pump(source, target, both))
            self._passing[task] = target
            task.add_done_callback(self._passing.pop)

    async def _pump(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, both: tuple[asyncio.StreamWriter, ...]
    ) -> None:
        try:
            while data := await source.read(AT_ONCE):
                if self._is_cut:
                    self.dropped += len(data)
                    self._broken.update(both)
                    continue
                target.write(data)
                await target.drain()
        except OSError:
            pass
        finally:
            for writer in both:
                writer.close()
