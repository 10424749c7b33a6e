"""`agentos update`: a newer version is proved to be ours, installed, examined, and taken back if that finds errors."""
