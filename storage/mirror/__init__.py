"""The mirror's folder, and what the home keeps of it."""
