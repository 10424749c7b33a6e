"""One repository a subject: its statements, over the engine."""
