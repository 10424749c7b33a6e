"""The profile: what is known of a user under canonical keys, and the traits that evidence supports."""
