"""Events: what changed, in order, for those who wait for it."""
