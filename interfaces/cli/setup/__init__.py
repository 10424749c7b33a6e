"""`agentos setup`: puts AgentOS into every client on this machine, and removes it again."""
