"""The project's own retrieval benchmark: recall of AgentOS and other systems on the same conversations."""
