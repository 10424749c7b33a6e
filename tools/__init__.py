"""The MCP door: one file per module."""
