"""Acts on many memories: said once, done in batches beside the request that asked, and undone as one."""
