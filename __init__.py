"""AgentOS: long-term memory, goals, reflection and context for AI agents, local-first and offline."""
