"""The properties of a request, named or as text, parsed in the context of the model."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.oracle.worker.filters import filter_of
from engine.oracle.worker.formulas import is_objective, objective_hint, property_name, property_text
from engine.oracle.worker.identifiers import require_identifiers
from engine.oracle.worker.properties import Named, Properties
from engine.oracle.worker.property_checks import require_known
from engine.oracle.worker.refusals import property_error
from engine.oracle.worker.storm import parse_properties
from engine.oracle.worker.storm_error import StormError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.oracle.request import Request


def read_properties(request: Request, symbolic: Any, own: list[Any]) -> Properties:
    """Parse what a request asks for.

    Parameters
    ----------
    symbolic
        The model in whose context expressions are read; None for explicit models.
    own
        Properties that the model file brought with it.

    Raises
    ------
    UsageError
        If a property does not parse, is no objective where one is needed, or names nothing.
    """
    library = {property_name(prop): prop for prop in own}
    if request.properties_path is not None:
        library |= _read_file(request, symbolic)
    extra = tuple(
        _named(name, _find(name, library, symbolic, request.objective_names), symbolic) for name in request.properties
    )
    objective, text, name = _objective(request, library, extra, own, symbolic)
    danger, danger_text = None, request.danger or ""
    if request.danger is not None:
        danger = _find(request.danger, library, symbolic)
        _require_no_filter(request.danger, danger, library)
        danger_text = property_text(danger) if request.danger in library else request.danger
    properties = Properties(objective, danger, extra, text, danger_text, objective_name=name)
    require_known(properties, symbolic)
    return properties


def _named(name: str, prop: Any, symbolic: Any) -> Named:
    found = filter_of(prop)
    return Named(name, prop, found, None if found is None else parse_properties(found.states, symbolic)[0])


def _objective(
    request: Request, library: dict[str, Any], extra: tuple[Named, ...], own: list[Any], symbolic: Any
) -> tuple[Any, str, str | None]:
    """Return the objective with its text and name: as asked for, else the first property that is one."""
    if request.objective is not None:
        objective = _find(request.objective, library, symbolic, request.objective_names)
        if not is_objective(objective):
            raise UsageError(
                "this property is no objective",
                where=request.objective,
                hint=objective_hint(objective),
            )
        _require_no_filter(request.objective, objective, library)
        named = request.objective in library
        return (
            objective,
            property_text(objective) if named else request.objective_shown or request.objective,
            request.objective if named else None,
        )
    for named_property in (*extra, *(Named(property_name(prop), prop) for prop in own)):
        if is_objective(named_property.prop):
            name = named_property.name if named_property.name in library else None
            return named_property.prop, named_property.text, name
    return None, "", None


def _require_no_filter(text: str, prop: Any, library: dict[str, Any]) -> None:
    """Raise UsageError for a filter where a property is about every state; those of named properties are left out."""
    if text not in library and filter_of(prop) is not None:
        raise UsageError(
            "facts are about every state, so that a filter has no place here",
            where=text,
            hint=f"write {property_text(prop)}, and show filtered values with --property",
        )


def _read_file(request: Request, symbolic: Any) -> dict[str, Any]:
    path = request.properties_path
    assert path is not None  # noqa: S101  # the caller looked
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError("this is no text in UTF-8", where=str(path), hint="give a file of properties") from None
    try:
        return {property_name(prop): prop for prop in parse_properties(text, symbolic)}
    except StormError as error:
        line = ":".join(str(part) for part in error.position) if error.position else ""
        where = f"{path}:{line}" if line else str(path)
        raise UsageError(error.message, where=where, hint="mend the properties file") from None


def _find(text: str, library: dict[str, Any], symbolic: Any, others: Sequence[str] = ()) -> Any:
    """Return the property of that name, or parse the text; `others` are names that could have been given."""
    if text in library:
        return library[text]
    if re.fullmatch(r"[\w.-]+", text):
        known = sorted({*library, *others})
        near = difflib.get_close_matches(text, known, n=1)
        hint = f"named properties here: {', '.join(known) or 'none'}"
        raise UsageError(f"there is no property named {text}", hint=f"did you mean {near[0]}? {hint}" if near else hint)
    try:
        parsed = parse_properties(text, symbolic)
    except StormError as error:
        require_identifiers(text, symbolic)
        raise property_error(error, text) from None
    if len(parsed) != 1:
        found = f"expected one property, found {len(parsed)}" if parsed else "a property is empty"
        raise UsageError(found, where=text, hint='write one, as in Pmax=? [F "goal"]')
    return parsed[0]
