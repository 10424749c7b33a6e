"""`python -m benchmarks.lifecycle`."""

from .command import main

if __name__ == "__main__":
    raise SystemExit(main())
