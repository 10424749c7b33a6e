"""The command line."""

import argparse
import sys

from .cases import SPLITS


def main() -> None:
    """Measure, or with --rules try the rules alone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle", description=__doc__)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--split", choices=SPLITS, default="held_out", help="whose wordings (held_out)")
    parser.add_argument("--rules", action="store_true", help="the pure rules alone, without a server: every miss")
    arguments = parser.parse_args()
    if arguments.rules:
        from .rules_alone import report  # the rules are no part of a measurement from outside

        sys.stdout.write(report(arguments.split, arguments.seed, 500) + "\n")
