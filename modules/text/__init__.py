"""Text: primitives without a subject of their own; sentences, plain wording, what a text names."""
