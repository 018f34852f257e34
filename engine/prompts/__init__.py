"""Prompts in an environment's words, answer schemas, and reading answers back (methods.md 1.4)."""
