"""Draw docs/demo.svg, README's picture: what `agentos demo` prints of its second day and of another project.

python packaging/draw_demo.py
"""

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from mcp import Client
from rich.console import Console
from rich.terminal_theme import MONOKAI

from agentos.interfaces.cli.demo import Demo

PICTURE = Path(__file__).resolve().parents[1] / "docs/demo.svg"
COLUMNS = 92
FONT_FROM_THE_NETWORK = re.compile(r"@font-face \{.*?\}\s*", re.S)
"""Rich's pictures load a font; the reader's own monospaced one will do."""


class SecondSession(Demo):
    """The demo, of which only what follows the first session is recorded."""

    async def _remember(self, agent: Client) -> None:
        self._console.export_text(clear=True)
        await super()._remember(agent)


def main() -> int:
    """Run the demo in a temporary folder and draw it."""
    console = Console(record=True, width=COLUMNS, force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(SecondSession(Path(folder) / "home", console).run())
    picture = console.export_svg(title="agentos demo · the next day", theme=MONOKAI, unique_id="demo")
    picture = FONT_FROM_THE_NETWORK.sub("", picture).replace("Fira Code, monospace", "monospace")
    PICTURE.write_text("\n".join(line.rstrip() for line in picture.splitlines()) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
