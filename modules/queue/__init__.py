"""The queue: work that is done once, whoever does it, and tried again when it fails."""
