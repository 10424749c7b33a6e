"""`python -m agentos.interfaces.cli`: the command line where its script is not installed."""

from . import main

main()
