"""The packaged environments, one folder each."""

from __future__ import annotations

from pathlib import Path


def packaged() -> dict[str, Path]:
    """Return the folder of every packaged environment by name."""
    root = Path(__file__).parent
    return {file.parent.name: file.parent for file in sorted(root.glob("*/environment.toml"))}
