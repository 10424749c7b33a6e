"""The front: the process that an agent starts. It answers the handshake at once and passes all else to the daemon.

Standard library only: a session costs some 12 MB and is ready as soon as Python has started.
"""
