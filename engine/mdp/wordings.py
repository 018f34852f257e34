"""The user's own wordings: templates that replace or join those of an environment, without a copy of its folder.

``templates/ENVIRONMENT/NAME.j2`` in the config folder is a wording of that environment; ``templates/question.j2`` and
``templates/generic.j2`` there are for all. Files whose names begin with ``_`` are only imported by others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.folders import config_dir

if TYPE_CHECKING:
    from pathlib import Path

ENDING = ".j2"
QUESTION = "question"
"""The template that puts the parts of a prompt together; it is no wording."""


def own_templates_dir() -> Path:
    """Return the folder of the user's own templates; it may not exist."""
    return config_dir() / "templates"


def with_own_wordings(name: str, folder: Path, variants: tuple[str, ...]) -> tuple[str, ...]:
    """Return an environment's wordings, and after them those that the user adds.

    Parameters
    ----------
    name, folder
        The environment.
    variants
        The wordings that it brings. A file of the user's with the name of another file there replaces that one, which
        other wordings import, and is no wording either.
    """
    helpers = {file.stem for file in (folder / "prompts").glob(f"*{ENDING}")} | {QUESTION}
    own = sorted(file.stem for file in (own_templates_dir() / name).glob(f"[!_.]*{ENDING}") if file.is_file())
    return (*variants, *(wording for wording in own if wording not in {*variants, *helpers}))


def template_folders(name: str, folder: Path | None) -> tuple[Path, ...]:
    """Return where an environment's templates are looked for, in order; a bare model (None) has only the user's."""
    root = own_templates_dir()
    return (root,) if folder is None else (root / name, folder / "prompts", root)
