"""Tiers: what is in working, short-term, mid-term, long-term and procedural memory, and what matures by heat."""
