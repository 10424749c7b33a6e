"""The project's own retrieval benchmark: what is recalled, by AgentOS and by others, from the same conversations."""
