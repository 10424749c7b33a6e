"""How AgentOS is installed, for messages: from a checkout, since a registry's `agentos-mcp` is another project's."""

INSTALL = "pip install . in a checkout of AgentOS"
"""Brings the program with everything that it needs but the weights of the embedding model."""

UPGRADE = "pip install . in a newer checkout of AgentOS"
"""Where what is there is of a newer version than this one."""

REINSTALL = "pip install --force-reinstall . in a checkout of AgentOS"
"""Where something of it is there, and is not what it should be."""

INSTALL_MODEL = "agentos model install"
"""Brings the weights of the default embedding model."""

INSTALL_MODELS_EXTRA = 'pip install ".[models]" in a checkout of AgentOS'
"""Brings sentence-transformers and torch, which run models of other kinds than the default one."""
