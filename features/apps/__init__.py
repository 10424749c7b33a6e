"""Views and forms in clients that show them: MCP Apps, and MCP's elicitation. Nothing here decides anything."""
