"""The queue: tasks that are done once, by whichever process, and retried when they fail."""
