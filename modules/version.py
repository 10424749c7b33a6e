"""The identity of AgentOS: its version, which pyproject.toml reads from here, and what proves a program to be ours."""

VERSION = "2.0.0"

BUILD = "b8726ba40572"
"""Drawn once, the same in every version: another project has programs of the same names, and none that say this."""

SIGNATURE = f"AgentOS {VERSION} (agentos-mcp, build {BUILD})"
"""The answer of each of our programs to `--version`; `plugin/bin/run` starts none that gives another."""

OLDEST_PYTHON = (3, 11)
"""The version that pyproject.toml requires."""

COMMAND_LINE = "agentos-cli"
"""The name by which the command line introduces itself to a server."""

MAX_CLIENT_CHARS = 100
"""The most that is kept of the name and the version by which a client introduces itself."""
