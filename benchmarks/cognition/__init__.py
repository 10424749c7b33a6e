"""Whether memory that matures helps: relevance, economy and recall of contexts, beside fair baselines."""
