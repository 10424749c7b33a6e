"""Usage: what agents ask for, and what the answers cost them."""
