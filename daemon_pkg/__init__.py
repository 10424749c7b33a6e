"""The daemon's background work."""
