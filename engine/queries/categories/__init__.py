"""The categories of the taxonomy, one module each, which offers it as ``CATEGORY``."""
