"""Branches: namespaces forked from others, and what comes back by proposals that an owner merges."""
