"""`agentos setup`: AgentOS in every client on this machine, and out of it again."""
