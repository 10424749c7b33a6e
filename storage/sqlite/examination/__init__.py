"""The examination of the embedded store: it reads without leaving a trace, and repairs only when asked to."""
