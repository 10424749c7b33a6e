"""Measurements of AgentOS, each beside a reference of the same run, and the long proofs that nothing is lost."""
