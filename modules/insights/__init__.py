"""Insights and tasks: what the daemon leaves for the next session."""
