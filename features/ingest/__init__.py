"""Ingestion: passages of files as memories, which follow their file."""
