"""Ask: a question answered from memory, each sentence with the memories that bear it."""
