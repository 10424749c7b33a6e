"""Erasure of a subject: what names it, and its copies in branches, forks and merged namespaces."""
