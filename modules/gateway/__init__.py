"""The gateway's rules: what to put into a request to a model, what to learn from its answer, what to forbid."""
