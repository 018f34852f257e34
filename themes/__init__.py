"""The packaged themes, one TOML file each."""

from __future__ import annotations

from pathlib import Path


def packaged() -> dict[str, Path]:
    """Return the file of every packaged theme by name."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob("*.toml"))}
