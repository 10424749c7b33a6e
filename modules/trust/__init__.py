"""Trust: how reliable a memory and its author have proved, by others' judgements and never by their own."""
