"""What git knows of a folder: read from its files, and asked of git where no word of the repository's own counts."""
