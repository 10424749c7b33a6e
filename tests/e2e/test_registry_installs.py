"""No shipped file installs or runs AgentOS by its name in a registry: there the name is another project's."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_SHIPPED = {"tests", ".git", ".src"}
HISTORY = {"CHANGELOG.md", "constraints.txt"}

NAME = r"agentos(?:[-_]\w+)*"
"""Our distribution and what is named like it."""
REQUIREMENT = rf"{NAME}(?:\[[\w\s,.-]*\])?(?:\s*(?:[=<>!~]=|[<>@])[^\s\"'`,]*)?"
"""A name as registries know it, with extras and versions; neither a path nor the name of a wheel file."""
RUNNER = (
    r"(?:uvx|bunx|npx|pnpm\s+dlx|uv\s+(?:add|tool\s+(?:run|install|upgrade)|pip\s+install)|uv\s+run\b(?=.*\s--with\b)"
    r"|pipx\s+(?:install|run|upgrade|inject)|pip[\d.]*\s+(?:install|download)|(?:npm|conda|mamba|brew|apt|apt-get)\s+install"
    r"|poetry\s+add)"
)
BEFORE = r"(?<![\w./\\@-])"
AFTER = r"(?![\w./\\-])"
COMMAND = re.compile(rf"{BEFORE}(?:\S*/)?{RUNNER}\b(?P<words>[^\n;|&#`)]*)")
"""A command line, up to what ends it."""
WORD = re.compile(rf"(?:^|[\s\"'=]){REQUIREMENT}(?=$|[\s\"',)])|\{{DISTRIBUTION\b")
DATA = re.compile(
    rf"[\"'](?:[^\"'\s]*/)?(?:uvx|bunx|npx|pipx|pip)[\"'](?P<words>[^{{}}]{{0,200}}?[\"']{REQUIREMENT}[\"'])", re.S
)
"""An entry of a client: the runner is its command, the name among its arguments."""
WITH_EXTRAS = re.compile(rf"{BEFORE}{NAME}\[[a-z]")
"""A name with extras is for an installer, whoever is to call it."""
ASKED = re.compile(rf"\b(?:re-?)?(?:install|upgrade)\s+[\"'`]?agentos[-_]mcp{AFTER}")
"""What a message asks a person for."""
HOSTED = re.compile(rf"(?:--marketplace|marketplace\s+add|extensions\s+install)\s+\S*{NAME}/{NAME}{AFTER}")
"""A repository of a host that anybody could have."""
REGISTRY = re.compile(r"\bregistryType\b|\bruntimeHint\b")


def registry_installs(text: str) -> list[str]:
    """What in a text would have a registry's program installed or run."""
    text = re.sub(r"\\\r?\n\s*", " ", text)
    found = [match[0] for match in COMMAND.finditer(text) if WORD.search(match["words"])]
    return found + [
        match[0] for pattern in (DATA, WITH_EXTRAS, ASKED, HOSTED, REGISTRY) for match in pattern.finditer(text)
    ]


def shipped() -> Iterator[Path]:
    """Every file that Git would take, but tests and what tells of the past. A copy without Git is walked alike."""
    ignored = {name.strip("/") for name in (ROOT / ".gitignore").read_text(encoding="utf-8").split()}
    for folder, folders, names in os.walk(ROOT):
        top = Path(folder) == ROOT
        folders[:] = [
            name
            for name in folders
            if not any(Path(name).match(pattern) for pattern in ignored) and not (top and name in NOT_SHIPPED)
        ]
        yield from (
            Path(folder, name)
            for name in names
            if not any(Path(name).match(pattern) for pattern in ignored) and not (top and name in HISTORY)
        )


BY_NAME = (
    "uvx agentos-mcp",
    "run `uvx agentos` once",
    "/usr/bin/uvx --from 'agentos-mcp[offline]' agentos-server",
    'exec "$uvx" --from agentos-mcp[offline] "$program"',
    "pipx install 'agentos-mcp[offline]'",
    "pipx run --spec agentos-mcp==2.0.0 agentos-server",
    'pip install "agentos-mcp[offline]"',
    "pip install --upgrade agentos-mcp",
    "python3 -m pip install -U agentos_mcp>=2",
    ".venv/bin/pip install -c constraints.txt agentos-mcp",
    "RUN pip3 install --no-cache-dir agentos-mcp",
    "pip install \\\n    agentos-mcp",
    "pip install mcp agentos-mcp",
    "pip download agentos-mcp",
    'f"pip install --upgrade {DISTRIBUTION}"',
    "this AgentOS is too old; upgrade agentos-mcp",
    "uv tool install agentos-mcp",
    "uv tool run agentos-server",
    "uv pip install agentos-mcp",
    "uv run --with agentos-mcp agentos-server",
    "uv add agentos",
    "npx -y agentos-mcp",
    "npm install agentos-mcp",
    "claude mcp add agentos -- uvx agentos-mcp",
    '{"command": "uvx", "args": ["agentos-mcp"]}',
    '{\n  "command": "/opt/bin/uvx",\n  "args": [\n    "--from",\n    "agentos-mcp==2.0.0"\n  ]\n}',
    'command = "npx"\nargs = ["-y", "agentos-mcp"]',
    "package = 'agentos-mcp[offline]' if with_model else name",
    '"registryType": "pypi"',
    "/plugin install agentos --marketplace agentos/agentos-mcp",
    "claude plugin marketplace add https://github.com/agentos/agentos-mcp",
    "gemini extensions install https://github.com/agentos/agentos-mcp",
    '["pip", "install", "agentos-mcp"]',
)
OTHERS = (
    'pip install ".[models]"',
    '.venv/bin/pip install -c constraints.txt -e ".[dev]" && .venv/bin/agentos demo',
    "pip install agentos_mcp-2.0.0-py3-none-any.whl",
    "uv tool install './agentos_mcp-2.0.0-py3-none-any.whl[models]'",
    "pipx install '.[models]'; agentos setup",
    "pipx install . && agentos model install",
    "pipx install /src/agentos-mcp",
    "uv run --directory ${__dirname} agentos/server.py",
    "pip install mem0ai",
    'f"pip install {INSTALL[name]}"',
    "agentos-mcp 1.0.0 is installed, but the code that runs is 2.0.0",
    "pip install -e . # then: agentos demo",
    "npx -y server-filesystem /tmp",
    '{"command": "npx", "args": ["-y", "server-filesystem"]}, {"command": "/opt/bin/agentos-server"}',
    '{"command": "/opt/bin/agentos-server", "args": []}',
    "claude plugin install agentos@agentos",
    "claude plugin marketplace add /path/to/checkout && claude plugin install agentos@agentos",
    "gemini extensions install /path/to/checkout/plugin/gemini",
    "AgentOS 2.0.0 (agentos-mcp, build 0123456789ab)",
    "a registry's `agentos-mcp` is another project's",
    'name = "agentos-mcp"',
)


def test_an_install_by_name_is_distinguished_from_others() -> None:
    assert [text for text in BY_NAME if not registry_installs(text)] == []
    assert [text for text in OTHERS if registry_installs(text)] == []


def test_no_shipped_file_installs_by_name() -> None:
    read = 0
    found = {}
    for path in shipped():
        data = path.read_bytes()
        if b"\0" in data[:1000]:
            continue
        read += 1
        if re.search(b"agentos|registryType|runtimeHint", data) is None:  # nothing that any pattern could find
            continue
        if installs := registry_installs(data.decode(errors="replace")):
            found[str(path.relative_to(ROOT))] = installs
    assert found == {}
    assert read > 500
