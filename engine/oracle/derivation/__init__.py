"""Facts from values and the graph (methods.md 1.1)."""
