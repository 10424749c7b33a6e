"""The HTTP door: MCP, REST, health and metrics in one ASGI application; imported only where it is served."""
