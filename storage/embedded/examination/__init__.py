"""The examination of the embedded store: read without leaving a trace, mended only when that is asked for."""
