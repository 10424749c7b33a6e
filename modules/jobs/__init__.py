"""Jobs: background work, its runs, and the daemon's heartbeat."""
