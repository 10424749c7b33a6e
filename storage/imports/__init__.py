"""Imports: reading what other systems keep. Nothing is written; each format has a file."""
