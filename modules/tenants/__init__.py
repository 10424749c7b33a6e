"""Tenants: the stores that share a database, as one process serves them."""
