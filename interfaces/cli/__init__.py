"""The command line: `agentos`."""


def main() -> None:
    """Run the command line."""
    from .app import app

    app()
