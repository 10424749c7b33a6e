"""Text: primitives that have no subject of their own; scripts, normal forms, words, sentences, what a text names."""
