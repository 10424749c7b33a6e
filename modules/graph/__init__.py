"""The knowledge graph: entities and relations read from memories, and nodes and edges that agents add themselves."""
