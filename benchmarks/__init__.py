"""Measurements of AgentOS, each beside a reference of the same run, and the long fault tests that nothing is lost."""

from agentos.config import use_one_thread_for_arithmetic

# Before numpy is loaded: a second thread of it would spin for 30 ms after each scan, on the cores of what is measured.
use_one_thread_for_arithmetic()
