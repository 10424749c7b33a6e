"""The domain: everything that an agent can do, through any door; no SQL, no protocol, no environment."""
