"""Measurements of memory that matures: relevance, economy and recall of contexts, beside fair baselines."""
