"""The oracle child: the only code that talks to Storm, run as ``python -m engine.oracle.worker``."""
