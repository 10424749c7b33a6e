"""The answers of the tools of other systems, in their forms."""
