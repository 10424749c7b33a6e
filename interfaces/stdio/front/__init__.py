"""The front: what an agent starts. Answers the handshake at once and passes everything else to the daemon.

Standard library only: a session costs some 12 MB and is ready in the time that Python needs to start.
"""
