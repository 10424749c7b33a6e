"""What the daemon does while nobody looks."""
