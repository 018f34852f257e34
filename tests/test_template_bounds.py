"""Templates that would make too much, or never end: an error that names the file and the line, and no hang."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import UsageError
from engine.prompts.sandbox import LONGEST
from engine.prompts.templating import Template

if TYPE_CHECKING:
    from pathlib import Path


def rendered(folder: Path, text: str) -> str:
    """Render a template that consists of a line of words and this text."""
    (folder / "own.j2").write_text(f"words\n{text}", encoding="utf-8")
    return Template("own.j2", (folder,), ((text, 0, 0),)).render({"values": {"pos": 3}, "one": 1, "many": 3 * 10**9})


@pytest.mark.parametrize(
    "text",
    [
        '{{ "x" * 3000000000 }}',
        '{{ 3000000000 * "x" }}',
        '{{ "x" * many }}',
        '{{ ["x"] * many }}',
        "{{ 10 ** many }}",
        '{{ "%3000000000d" % 1 }}',
        '{{ "%*d" % (many, 1) }}',
        '{{ "%3000000000d" | format(1) }}',
        '{{ "{:>3000000000}".format(1) }}',
        '{{ "{:>{}}".format(1, many) }}',
        '{{ "x" | center(many) }}',
        '{{ "x".center(3000000000) }}',
        '{{ "x".ljust(many) }}',
        '{{ "1".zfill(many) }}',
        '{{ "\\t".expandtabs(many) }}',
        '{{ "x" | indent(many, true) }}',
        '{{ ("a" * 900000) | replace("a", "b" * 900000) }}',
        '{{ ("a" * 900000).replace("a", "b" * 900000) }}',
        '{{ ("a" * 900000).join(range(90000)) }}',
        '{{ range(90000) | join("a" * 900000) }}',
        '{{ ["a"] | batch(many, "b") | list }}',
        '{{ ["a"] | slice(many) | list }}',
        "{{ [[1]] | tojson(indent=many) }}",
        '{{ 1.5 | round(many, "ceil") }}',
        '{{ ["a"] | map("center", many) | list }}',
        "{{ range(3000000000) | list }}",
        '{% for i in range(90000) %}{% for j in range(90000) %}{{ "x" }}{% endfor %}{% endfor %}',
        "{% for i in range(90000) %}{% for j in range(90000) %}{% set k = j %}{% endfor %}{% endfor %}",
        '{% set n = namespace(s="xxxx") %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}',
        '{% set n = namespace(s="xxxx") %}{% for i in range(60) %}{% set n.s = n.s + n.s %}{% endfor %}',
        "{% set n = namespace(k=3) %}{% for i in range(60) %}{% set n.k = n.k * n.k %}{% endfor %}",
        "{% macro twice(n) %}{% if n %}{{ twice(n - 1) }}{{ twice(n - 1) }}{% endif %}{% endmacro %}{{ twice(60) }}",
        "{% macro f() %}{% for i in range(90000) %}{{ 'x' * 900 }}{% endfor %}{% endmacro %}{{ f() }}",
        "{{ lipsum(n=100000000) }}",
    ],
)
def test_what_would_never_end_is_an_error_at_its_line(tmp_path: Path, text: str) -> None:
    """However a template multiplies, repeats or pads, it is refused before the machine has to do it."""
    with pytest.raises(UsageError) as caught:
        rendered(tmp_path, text)
    assert caught.value.where.startswith(str(tmp_path / "own.j2"))
    assert caught.value.where.endswith(":2") or "it makes more than" in caught.value.what


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{{ "-" * 20 }}', "-" * 20),
        ("{{ 2 ** 10 }} {{ 7 % 4 }} {{ 1 + one }}", "1024 3 2"),
        ('{{ "%5.2f|%s costs 5000000" % (1.5, "a") }}', " 1.50|a costs 5000000"),
        ('{{ "%03d" | format(7) }} {{ "{:>4}".format(7) }} {{ "{}".format(many) }}', "007    7 3000000000"),
        ('{{ "a" | center(5) }}|{{ "ab".ljust(4) }}|{{ "a-b".replace("-", "+") }}', "  a  |ab  |a+b"),
        ('{{ ["a", one] | join(", ") }} {{ range(3) | map("string") | join("/") }}', "a, 1 0/1/2"),
        ('{{ "a" ~ one ~ none ~ 1.5 }}', "a1None1.5"),
        ("{% for i in range(3) recursive %}{{ loop.index }}{{ loop.cycle('a', 'b') }}{% endfor %}", "1a2b3a"),
        ("{% for i in [] %}x{% else %}none{% endfor %}", "none"),
        ("{{ 5000000.25 | round(1) }} {{ many | default(0) }}", "5000000.2 3000000000"),
    ],
)
def test_what_templates_do_is_as_ever(tmp_path: Path, text: str, result: str) -> None:
    """Ordinary operators, filters, methods and loops give what they always gave."""
    assert rendered(tmp_path, text) == f"words\n{result}"


def test_the_bound_is_on_the_whole_text(tmp_path: Path) -> None:
    """A text of the largest length passes; one more character, made in parts, does not."""
    half = LONGEST // 2
    fits = f'{{{{ "x" * {half} }}}}{{{{ "x" * {half - len("words") - 1} }}}}'
    assert len(rendered(tmp_path, fits)) == LONGEST
    with pytest.raises(UsageError, match="more than 1,000,000 characters"):
        rendered(tmp_path, fits + "x")
