"""The other doors, each thin."""
