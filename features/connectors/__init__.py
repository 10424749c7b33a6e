"""Connectors: what a machine's programs have noted, offered as candidates to whoever switched them on."""
