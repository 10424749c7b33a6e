"""Tiers: working, short-term, mid-term, long-term and procedural memory, and promotion by heat."""
