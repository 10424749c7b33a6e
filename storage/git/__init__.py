"""What git knows of a folder, read from its files; nothing that a repository configures is run."""
