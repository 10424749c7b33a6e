"""Long proofs: what is killed, crashed, raced or deleted, and that nothing acknowledged is lost."""
