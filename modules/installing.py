"""What messages tell to install or set; from a checkout, since a registry's `agentos-mcp` is another project's."""

INSTALL = "pip install . in a checkout of AgentOS"
"""Installs the program with everything that it needs but the weights of the embedding model."""

UPGRADE = "pip install . in a newer checkout of AgentOS"
"""The remedy where what is there is of a newer version than this one."""

REINSTALL = "pip install --force-reinstall . in a checkout of AgentOS"
"""The remedy where a part of it is there, but is not what it should be."""

INSTALL_MODEL = "agentos model install"
"""Installs the weights of the default embedding model."""

INSTALL_FILES_EXTRA = 'pip install -c constraints.txt ".[files]" in a checkout of AgentOS'
"""Installs what `agentos ingest` needs for HTML, PDF and DOCX."""

INSTALL_CODE_EXTRA = 'pip install -c constraints.txt ".[code]" in a checkout of AgentOS'
"""Installs the parsers by which notes follow symbols."""

INSTALL_ENCRYPTION_EXTRA = 'pip install -c constraints.txt ".[encryption]" in a checkout of AgentOS'
"""Installs SQLCipher and what makes keys of passphrases."""

INSTALL_POSTGRES_EXTRA = 'pip install -c constraints.txt ".[postgres]" in a checkout of AgentOS'
"""Installs the driver of PostgreSQL."""

INSTALL_MODELS_EXTRA = 'pip install ".[models]" in a checkout of AgentOS'
"""Installs sentence-transformers and torch, which run models of other kinds than the default one."""

INSTALL_OTEL_EXTRA = 'pip install -c constraints.txt ".[otel]" in a checkout of AgentOS'
"""Installs the exporter of traces."""


def switched_off(feature: str) -> str:
    """Return the message for what belongs to a feature that the settings do not name."""
    return f"the feature {feature} is off: name it in AGENTOS_FEATURES to use it"
