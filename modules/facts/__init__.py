"""Facts: a statement's slot, equality of values, and the effect of a new claim on older ones.

Pure rules that hold by construction: no model, no disk, no clock, no list of words of the world.
"""
