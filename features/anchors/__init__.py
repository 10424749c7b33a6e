"""Notes that follow the code: memories anchored to files and symbols, marked when these change."""
