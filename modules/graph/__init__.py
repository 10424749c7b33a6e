"""The graph: what memories name and how it hangs together, and what agents note as nodes and edges of their own."""
