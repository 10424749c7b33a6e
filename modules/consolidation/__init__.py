"""Consolidation: long conversations become summaries that name their sources; nothing is taken away."""
