"""Consolidation: long conversations become summaries that name their sources; originals are never removed."""
