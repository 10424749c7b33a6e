"""Goals: what an agent is after."""
