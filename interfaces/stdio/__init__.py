"""Serving MCP over standard input and output."""
