"""Puts the clock of AgentOS's programs forward, by as much as the environment says; the clients keep their own."""

import os
import time
from datetime import UTC, datetime, timedelta

from agentos.modules import clock

ahead = timedelta(seconds=float(os.environ["TESTS_CLOCK_AHEAD_S"]))
machine = time.time
time.time = lambda: machine() + ahead.total_seconds()
clock.system_clock = lambda: datetime.now(UTC) + ahead
