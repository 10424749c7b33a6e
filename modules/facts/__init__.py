"""Facts: what a statement is about, whether two values are one, and what a new claim means beside older ones.

Pure rules that hold by construction: no model, no disk, no clock, no list of words of the world.
"""
