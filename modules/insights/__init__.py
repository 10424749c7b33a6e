"""Insights and tasks: the daemon's findings for the next session."""
