"""`agentos doctor`: looks at an installation and its store, says what is wrong, and mends what it can."""
