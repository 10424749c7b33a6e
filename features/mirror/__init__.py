"""The Markdown mirror: one file for each memory, in a folder that people edit, in both directions."""
