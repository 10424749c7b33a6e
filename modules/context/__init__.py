"""Context: one call that tells an agent where it stands."""
