"""Plugins: what other distributions bring through entry points, each loaded by itself."""
