"""The domain: everything that an agent can do, whoever asks; no SQL, no protocol, no environment."""
