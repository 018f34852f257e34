"""Asking one question: the form, the answers as they arrive, the verdict card."""
