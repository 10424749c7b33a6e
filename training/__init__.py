"""Training of AgentOS's weight files; used in a checkout only, never in the wheel."""
