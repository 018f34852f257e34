"""Themes, keys and the palette."""
