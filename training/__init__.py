"""How the weight files of AgentOS are made; used in a checkout alone, never in the wheel."""
