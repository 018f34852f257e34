"""What reports read of a campaign file: one row for each question, without the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.verdicts.statements import PAID

if TYPE_CHECKING:
    import sqlite3

    from engine.verdicts.store import Store

_QUESTIONS = f"""
SELECT "case", explainer, variant, sample, outcome, score, answer, regret, invalid_kind, shown,
    seconds, attempts, tokens_in, tokens_out, tokens_reasoning, cost, {PAID}
FROM answers
UNION ALL
SELECT "case", explainer, variant, sample, 'error', NULL, NULL, NULL, NULL, NULL,
    sum(seconds), sum(attempts), NULL, NULL, NULL, NULL, NULL, NULL
FROM errors e
WHERE NOT EXISTS (
    SELECT 1 FROM answers a
    WHERE (a."case", a.explainer, a.variant, a.sample) = (e."case", e.explainer, e.variant, e.sample)
)
GROUP BY "case", explainer, variant, sample
"""  # noqa: S608 - a constant of this program
_REASONS = """
SELECT "case", explainer, variant, sample, outcome, reason, seconds, 0 AS failure FROM answers
UNION ALL
SELECT "case", explainer, variant, sample, 'error', error, seconds, max(id) FROM errors e
WHERE NOT EXISTS (
    SELECT 1 FROM answers a
    WHERE (a."case", a.explainer, a.variant, a.sample) = (e."case", e.explainer, e.variant, e.sample)
)
GROUP BY "case", explainer, variant, sample
ORDER BY explainer, "case", variant, sample
"""
"""With max() SQLite takes the other columns from the row that has the maximum: the last failure."""


_ERRORS = """
SELECT explainer, error, count(*) AS questions FROM (
    SELECT explainer, error, max(id) FROM errors e
    WHERE NOT EXISTS (
        SELECT 1 FROM answers a
        WHERE (a."case", a.explainer, a.variant, a.sample) = (e."case", e.explainer, e.variant, e.sample)
    )
    GROUP BY "case", explainer, variant, sample
)
GROUP BY explainer, error ORDER BY explainer, questions DESC, error
"""
_CUT_OFF = """
SELECT explainer, count(*) AS replies, sum(reasoning != '') AS thinking FROM answers
WHERE invalid_kind = 'cut off' GROUP BY explainer ORDER BY explainer
"""


def questions(store: Store) -> list[sqlite3.Row]:
    """Return each question that was answered, or has only failed so far, with the figures that tables need.

    An ``error`` has neither score nor answer nor tokens, and the seconds and attempts of all its failures together.
    """
    return store.select(_QUESTIONS)


def reasons(store: Store) -> list[sqlite3.Row]:
    """Return each question that was answered, or has only failed so far, with its outcome and the reason for it.

    The reason of an ``error`` is its last failure.
    """
    return store.select(_REASONS)


def errors(store: Store) -> list[sqlite3.Row]:
    """Return what questions without an answer failed with last: ``explainer``, ``error``, ``questions``.

    The most frequent ones of each explainer come first.
    """
    return store.select(_ERRORS)


def cut_off(store: Store) -> list[sqlite3.Row]:
    """Return how many replies were cut off before their answer: ``explainer``, ``replies``, of these ``thinking``."""
    return store.select(_CUT_OFF)
