"""What a change of memories needs, ends and asks, decided in one transaction over the rows of `rows.py`."""
