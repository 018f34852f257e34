"""Prompts: a question rendered in an environment's words, its answer schema, and reading answers back (methods.md 1.4)."""
