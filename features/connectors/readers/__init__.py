"""Readers of what programs have noted, one file a kind; each is a Connector."""
