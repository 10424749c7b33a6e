"""Where things are kept: implements the ports of the modules."""
