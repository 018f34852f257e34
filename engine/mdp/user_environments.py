"""The user's own environments: a model with the user's words, saved as a folder that is a full environment."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import environments
from engine.errors import UsageError
from engine.mdp.environment import Environment, TextLayout, load_environment
from engine.mdp.sources import files_beside, user_environments_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.oracle.request import Request

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_VARIANT = "plain"
_KEPT = ("objectives", "constant_help", "constant_values", "constant_ranges", "synonyms")
"""What a new environment takes over from the one that the model was opened with."""

_TEMPLATE = """\
{{#- The description and the goal are texts, not templates: braces in them mean nothing. -#}}
{{%- import "generic.j2" as generic -%}}

{{%- macro description() -%}}
{{{{ {description} }}}}
{{%- endmacro -%}}

{{%- macro world(constants) -%}}
{{{{ description() }}}}
{{%- if constants %}} Constants: {{% for name, value in constants.items() %}}\
{{{{ name }}}} = {{{{ value }}}}{{{{ "." if loop.last else ", " }}}}{{% endfor %}}
{{%- endif %}}
{{%- endmacro -%}}

{{%- macro goal(constants) -%}}
{{{{ {goal} }}}}
{{%- endmacro -%}}

{{%- macro state(values, constants) -%}}
{{{{ generic.state(values, constants) }}}}
{{%- endmacro -%}}
"""


@dataclass(frozen=True)
class Words:
    """What the user says about a model.

    Attributes
    ----------
    title, summary
        One line each, for lists.
    description
        The world in words, for prompts.
    goal
        What the objective is about, to follow "the probability of": ``reaching the exit``.
    """

    title: str
    description: str
    goal: str
    summary: str = "A model of your own."


def save_environment(
    name: str,
    request: Request,
    words: Words,
    *,
    base: Environment | None = None,
    objective: str | None = None,
    danger: str | None = None,
    replace: bool = False,
) -> Environment:
    """Save a model with the user's words as an environment of the user's own and return it.

    The model file and what belongs to it are copied, so that the environment outlives the original. It then works by
    its name wherever a model is named.

    Parameters
    ----------
    name
        Letters, digits, ``_`` and ``-``, beginning with a letter; not that of a packaged environment.
    request
        The model with its constants, which become defaults.
    base
        The environment that the model was opened with: its constants' meanings, objectives and layout are kept.
    objective, danger
        The property texts that the words are about, as in the facts; the request's if None.
    replace
        Whether an environment of that name is replaced.

    Raises
    ------
    UsageError
        If the name cannot be used or is taken, a text is empty, or the folder cannot be written; nothing is left
        behind then.
    """
    root = user_environments_dir()
    folder = root / name
    _require_name(name, folder, replace=replace)
    texts = Words(*(_clean(text) for text in (words.title, words.description, words.goal, words.summary)))
    for field, text in (("title", texts.title), ("description", texts.description), ("goal", texts.goal)):
        if not text:
            raise UsageError(f"the {field} is empty", where=name, hint="say it in a few words")
    asked = request.model_copy(update={"objective": objective or request.objective, "danger": danger or request.danger})
    try:
        root.mkdir(parents=True, exist_ok=True)
        # A name that begins with a dot is no environment, should the program end before the folder is complete.
        with tempfile.TemporaryDirectory(dir=root, prefix=".new-") as scratch:
            new = Path(scratch, name)
            (new / "prompts").mkdir(parents=True)
            model = _copy_model(request, new)
            fields = _fields(model, asked, texts, base)
            (new / "environment.toml").write_text(_toml(fields), encoding="utf-8")
            template = _TEMPLATE.format(description=_literal(texts.description), goal=_literal(texts.goal))
            (new / "prompts" / f"{_VARIANT}.j2").write_text(template, encoding="utf-8")
            if base is not None and base.folder is not None and isinstance(base.layout, TextLayout):
                shutil.copyfile(base.folder / base.layout.template, new / base.layout.template)
            load_environment(new)
            _put(new, folder, Path(scratch, "replaced"))
    except OSError as error:
        raise UsageError(
            f"the environment cannot be saved: {error.strerror or error}",
            where=str(folder),
            hint="free some space, or check the folder's permissions",
        ) from None
    return load_environment(folder)


def _put(new: Path, folder: Path, replaced: Path) -> None:
    """Move the new folder into place and the one that was there aside, back again if that fails."""
    if folder.exists():
        folder.rename(replaced)
    try:
        new.rename(folder)
    except OSError:
        if replaced.exists():
            replaced.rename(folder)
        raise


def is_own(environment: Environment) -> bool:
    """Return whether an environment is one of the user's own, not a packaged one nor a model without words."""
    return environment.folder is not None and environment.folder.parent == user_environments_dir()


def saved_words(environment: Environment) -> Words:
    """Return the words of an environment that was saved here, for editing; raises UsageError for any other one."""
    from engine.prompts.templating import Template  # noqa: PLC0415  # Jinja loads only where templates are read

    if environment.folder is None or not is_own(environment):
        raise UsageError("this is none of your own environments", where=environment.name)
    template = Template(f"{_VARIANT}.j2", (environment.folder / "prompts",))
    try:
        description, goal = template.call("description"), template.call("goal", {})
    except KeyError:
        raise UsageError("the prompt was written by hand", where=template.file, hint="edit that file") from None
    return Words(environment.title, description, goal, environment.summary)


def delete_environment(name: str) -> None:
    """Delete one of the user's own environments; raises UsageError if there is none of that name."""
    folder = user_environments_dir() / name
    if not _NAME.fullmatch(name) or not (folder / "environment.toml").is_file():
        raise UsageError(f"you have no environment named {name}", hint="stormscope envs lists all")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise UsageError(f"the environment cannot be deleted: {error.strerror}", where=str(folder)) from None


def _require_name(name: str, folder: Path, *, replace: bool) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for an environment",
            hint="use letters, digits, _ and -, at most 64, beginning with a letter",
        )
    if name in environments.packaged():
        raise UsageError(f"{name} is a packaged environment", hint="choose another name")
    if folder.exists() and not replace:
        raise UsageError(f"you have an environment named {name} already", hint="choose another name, or replace it")


def _clean(text: str) -> str:
    """Return the text without what no file or prompt can hold: lone surrogates and control characters."""
    readable = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    kept = (c for c in readable.replace("\t", " ") if c == "\n" or unicodedata.category(c) != "Cc")
    return "".join(kept).strip()


def _literal(text: str) -> str:
    """Return a text as a string of a template: quoted, with nothing in it that Jinja would read."""
    escaped = json.dumps(text, ensure_ascii=False)
    # Jinja reads escapes as Python does, which knows no surrogate pairs: other characters stay as they are.
    return escaped.replace("{", r"\x7b").replace("}", r"\x7d").replace("%", r"\x25").replace("#", r"\x23")


def _copy_model(request: Request, folder: Path) -> str:
    """Copy the model file and the files beside it as ``model.*`` and return its name."""
    model = f"model{request.path.suffix.lower()}"
    shutil.copyfile(request.path, folder / model)
    labels, states, rewards = files_beside(request.path)
    for path in (labels, states, *rewards):
        if path is not None:
            shutil.copyfile(path, folder / f"model{path.name[len(request.path.stem) :].lower()}")
    return model


def _fields(model: str, request: Request, words: Words, base: Environment | None) -> dict[str, Any]:
    kept = base.model_dump(mode="json", exclude_none=True) if base is not None else {}
    tables = {key: kept.get(key, {}) for key in _KEPT}
    return {
        "title": " ".join(words.title.split()),
        "summary": " ".join(words.summary.split()),
        "model": model,
        "objective": request.objective,
        "danger": request.danger,
        "variants": [_VARIANT],
        "constants": dict(request.constants),
        **tables,
        "objective_words": _objective_words(base) if base is not None else {},
        "layout": kept.get("layout", {}),
    }


def _objective_words(base: Environment) -> dict[str, dict[str, str]]:
    """Return the words of the base's first wording for its objectives; the new environment has one wording only."""
    texts = {name: words.of(base.variants[0]) for name, words in base.objective_words.items()}
    found = {
        name: {key: text for key, text in (("goal", goal), ("measure", measure)) if text is not None}
        for name, (goal, measure) in texts.items()
    }
    return {name: words for name, words in found.items() if words}


def _toml(fields: Mapping[str, Any]) -> str:
    """Return TOML: texts and lists of texts first, then one table per mapping, tables in it written inline."""
    plain = {key: value for key, value in fields.items() if value is not None and not isinstance(value, dict)}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items()]
    for key, table in fields.items():
        if isinstance(table, dict) and table:
            lines += ["", f"[{key}]", *(f"{_toml_text(name)} = {_toml_value(value)}" for name, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml_text(key)} = {_toml_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(entry) for entry in value) + "]"
    return _toml_text(str(value))


def _toml_text(text: str) -> str:
    """Return a basic string; JSON escapes what TOML wants escaped, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", r"\u007f")
