"""What differs between operating systems, and nothing else: locks, users, processes, pipes, the daemon's door.

Everything else asks here. Standard library only, and little of it: hooks and fronts load it at each start.
"""
