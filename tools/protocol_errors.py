"""Errors of the protocol about lists and resources, with a code for programs."""

import mcp.types as types
from mcp import MCPError

from .bound import ECHOES
from .calling import CODE_KEY

MAX_URI_CHARS = 1_000


async def refusal(code: int, message: str, uri: str, named: str) -> MCPError:
    """Return the error of a resource, without secrets that its address may hold."""
    data = {"uri": await ECHOES.text(uri[:MAX_URI_CHARS]), CODE_KEY: named}
    return MCPError(code=code, message=await ECHOES.text(message), data=data)


def invalid_cursor() -> MCPError:
    """Return the error of a cursor that no list has given."""
    message = "Invalid cursor: start again without one"
    return MCPError(code=types.INVALID_PARAMS, message=message, data={CODE_KEY: "invalid_cursor"})
