"""Approvals: what is not done before a human says yes, and by whom it is done then."""
