"""Storage: implements the ports of the modules."""
