"""Goals: what an agent works towards."""
