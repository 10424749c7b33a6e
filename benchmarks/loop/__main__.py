"""`python -m benchmarks.loop`: the loop proof."""

import sys

from .command import main

sys.exit(main())
