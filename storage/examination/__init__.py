"""Doctor checks of a store that are the same on every engine."""
