"""Jobs: what runs in the background, when it last ran, and whether anybody is there to run it."""
