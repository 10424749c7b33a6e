"""Usage: the calls of agents, and the size of the answers."""
