"""Rules that a person made or confirmed, and what they say of what is ordered, or about to be done."""
