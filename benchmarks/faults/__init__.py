"""Long fault tests: kills, crashes, races and deletions, and that nothing acknowledged is lost."""
