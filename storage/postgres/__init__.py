"""PostgreSQL as the engine, for many machines; imported where a URL asks for it, as its driver is an extra."""
