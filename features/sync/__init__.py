"""Sync: devices that keep one memory between them, through any folder that something else carries. No server."""
