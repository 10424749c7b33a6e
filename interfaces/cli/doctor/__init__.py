"""`agentos doctor`: examines an installation and its store, reports what is wrong, and repairs what it can."""
