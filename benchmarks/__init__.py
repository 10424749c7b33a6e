"""Measurements of AgentOS, each beside a reference of the same run, and the long fault tests that nothing is lost."""
