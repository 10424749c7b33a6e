"""Memories: what an agent keeps, and how it finds it again."""
