"""The MCP interface: one file of tools per module."""
