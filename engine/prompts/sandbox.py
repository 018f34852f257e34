"""The sandbox that templates run in: what they make, and how long they take, has bounds.

A template is a user's file, and a mistake in it (``{{ "x" * 3000000000 }}``) must be an error that names its line, and
never hang the machine. So nothing is made that is too large: sizes are looked at before an operation wherever it can
multiply them, and loops and calls are counted.
"""

from __future__ import annotations

import re
import threading
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError, nodes
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jinja2.compiler import Frame
    from jinja2.runtime import Context

LONGEST: Final = 1_000_000
"""Characters of a text, and members of a list, that a template may make."""
MOST_STEPS: Final = 250_000
"""Turns of loops, and calls, of one rendering."""
_LARGEST_POWER: Final = 1_000
_MOST_BITS: Final = 10_000
_WORK: Final = 20 * LONGEST
"""Size of a value times that of an argument, for what can multiply them."""
_MULTIPLYING = frozenset({"center", "indent", "wordwrap", "replace", "join", "batch", "slice", "tojson", "round"})
"""Filters; methods of texts are `_METHODS`."""
_METHODS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "replace", "join"})
_FORMATTING = frozenset({"format", "format_map"})
_SPEC = re.compile(r"%[^a-zA-Z%]*|\{[^{}]*:[^{}]*")
"""What a format says of one value, widths among it."""
_ASKED_WIDTH = re.compile(r"%[^a-zA-Z%]*\*|\{[^{}]*\{")
"""A width that a format takes from its arguments."""


class TooMuchError(TemplateRuntimeError):
    """A template makes something that is too large, or takes too long."""


class _Generator(CodeGenerator):
    """Lets ``~`` go through the sandbox as other operators do."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 - jinja2's name
        self.write("environment.joined((")
        for argument in node.nodes:
            self.visit(argument, frame)
            self.write(", ")
        self.write("))")


class Sandbox(ImmutableSandboxedEnvironment):
    """An immutable sandbox with bounds; `begin` before each rendering, in its thread."""

    code_generator_class = _Generator
    intercepted_binops = frozenset({"*", "**", "+", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._steps = threading.local()
        self.concat = _bounded_concat  # type: ignore[method-assign]  # jinja2's hook for what is put out
        self.globals.pop("lipsum")  # makes as much text as it is asked for
        self.filters = {name: _bounded(name, function) for name, function in self.filters.items()}

    def begin(self) -> None:
        """Begin a rendering: its steps are counted from here."""
        self._steps.left = MOST_STEPS

    def tick(self) -> str:
        """Count a step; raises TooMuchError when there have been too many."""
        left: int = getattr(self._steps, "left", MOST_STEPS) - 1
        self._steps.left = left
        if left < 0:
            raise TooMuchError(f"it takes more than {MOST_STEPS:,} turns of loops and calls")
        return ""

    def joined(self, parts: Iterable[object]) -> str:
        """Return what ``~`` makes of its sides."""
        text: str = _checked("".join(map(str, parts)))
        return text

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator; raises TooMuchError before it is too large."""
        if operator == "*":
            _check_product(left, right)
        elif operator == "**" and isinstance(right, int) and abs(right) > _LARGEST_POWER:
            raise TooMuchError(f"it raises a number to a power above {_LARGEST_POWER:,}")
        elif operator == "%" and isinstance(left, str):
            _check_format(left, right if isinstance(right, tuple) else (right,))
        return _checked(super().call_binop(context, operator, left, right))

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063 - as jinja2 has it
        """Call something; raises TooMuchError if it is a text's method that would make too much."""
        __self.tick()
        method = getattr(__obj, "__wrapped__", __obj)  # the sandbox wraps the methods that format
        text, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
        if isinstance(text, str):
            if name in _METHODS:
                args = tuple(_listed(value) if name == "join" else value for value in args)
                _check_work(name, text, (*args, *kwargs.values()))
            elif name in _FORMATTING:
                _check_format(text, (*args, *kwargs.values()))
        return _checked(super().call(__context, __obj, *args, **kwargs))

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,  # noqa: FBT001, FBT002 - as jinja2 has it
    ) -> str:
        """Compile a template (jinja2's hook), each turn of each loop being counted."""
        for loop in source.find_all(nodes.For):
            step = nodes.Call(nodes.EnvironmentAttribute("tick"), [], [], None, None, lineno=loop.lineno)
            loop.body.insert(0, nodes.ExprStmt(step, lineno=loop.lineno))
        return str(super()._generate(source, name, filename, defer_init))


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter with bounds; a filter may be handed its context or environment before its value."""
    if name not in _MULTIPLYING and name not in _FORMATTING:
        return function
    first = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        before, values = args[:first], list(args[first:])
        if name in _FORMATTING:
            _check_format(str(values[0]), (*values[1:], *kwargs.values()))
        else:
            values[0] = _listed(values[0])
            _check_work(name, values[0], (*values[1:], *kwargs.values()))
        return _checked(function(*before, *values, **kwargs))

    return bounded


def _bounded_concat(parts: Iterable[str]) -> str:
    """Join what a template puts out; raises TooMuchError as soon as it is too long."""
    kept, length = [], 0
    for part in parts:
        length += len(part)
        if length > LONGEST:
            raise TooMuchError(_too_long())
        kept.append(part)
    return "".join(kept)


def _listed(value: Any) -> Any:
    """Return an iterator as a list, so that its length is known; anything else as it is."""
    return list(islice(value, LONGEST + 1)) if hasattr(value, "__next__") else value


def _check_product(left: Any, right: Any) -> None:
    for size, value in ((left, right), (right, left)):
        if isinstance(size, int) and isinstance(value, str | bytes | list | tuple) and size * len(value) > LONGEST:
            raise TooMuchError(_too_long())


def _check_work(name: str, value: Any, arguments: Iterable[Any]) -> None:
    sizes = (abs(each) if isinstance(each, int) else _length(each) for each in arguments)
    if max(_length(value), 1) * max(sizes, default=1) > _WORK:
        raise TooMuchError(f"{name} would make far more than {LONGEST:,} characters")


def _check_format(text: str, arguments: Iterable[Any]) -> None:
    widths = [found for spec in _SPEC.findall(text) for found in re.findall(r"\d+", spec)]
    given = [argument for argument in arguments if isinstance(argument, int)] if _ASKED_WIDTH.search(text) else []
    if any(len(width) >= len(str(LONGEST)) for width in widths) or any(abs(width) > LONGEST for width in given):
        raise TooMuchError(_too_long())


def _length(value: Any) -> int:
    return len(value) if hasattr(value, "__len__") else 1


def _checked(value: Any) -> Any:
    """Return a value; raises TooMuchError if it is too large to go on with."""
    if isinstance(value, str | bytes | list | tuple) and len(value) > LONGEST:
        raise TooMuchError(_too_long())
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise TooMuchError("it makes a number of thousands of digits")
    return value


def _too_long() -> str:
    return f"it makes more than {LONGEST:,} characters"
