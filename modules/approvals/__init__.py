"""Approvals: actions that wait for a human's decision, and their execution once approved."""
