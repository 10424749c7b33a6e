"""Portability: carrying a memory away, and bringing one in."""
