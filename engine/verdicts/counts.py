"""How far a campaign file is: the one count that lists, tables and reports show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.queries.case import MANUAL
from engine.verdicts.last_run import last_plan, last_run
from engine.verdicts.records import Key

if TYPE_CHECKING:
    from engine.verdicts.store import Store

_BY_HAND = f"strategy = '{MANUAL}'"
_KEPT_CASES = f"""
SELECT "case" FROM selected JOIN selections ON selections.id = selection GROUP BY "case" HAVING min({_BY_HAND}) = 1
AND EXISTS (SELECT 1 FROM selected JOIN selections ON selections.id = selection WHERE NOT {_BY_HAND})
"""  # noqa: S608 - the name is this program's own
_ANSWERS = f"""
SELECT count(*) AS answers, total(sample < 0 OR "case" IN ({_KEPT_CASES})) AS kept FROM answers
"""  # noqa: S608 - as above
_FAILED = f"""
SELECT DISTINCT explainer, "case", variant, sample FROM errors e
WHERE sample >= 0 AND "case" NOT IN ({_KEPT_CASES}) AND NOT EXISTS (
    SELECT 1 FROM answers a
    WHERE (a."case", a.explainer, a.variant, a.sample) = (e."case", e.explainer, e.variant, e.sample)
)
"""  # noqa: S608 - as above


@dataclass(frozen=True, slots=True)
class Counts:
    """Questions of a file.

    Attributes
    ----------
    answered
        Those of its plans that have an answer.
    total
        These, those that have only failed so far, and those of the last plan that were not asked yet.
    kept
        Answers that were kept by hand: they are in neither number.
    """

    answered: int
    total: int
    kept: int = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is missing."""
        return self.answered >= self.total


def counts(store: Store) -> Counts:
    """Count what a file holds; raises StoreError if it cannot be read. It agrees with `engine.campaign.board`."""
    with store.snapshot():
        (row,) = store.select(_ANSWERS)
        kept = int(row["kept"])
        answered = int(row["answers"]) - kept
        missing = {
            (each["explainer"], Key(each["case"], each["variant"], each["sample"])) for each in store.select(_FAILED)
        }
        runs = store.runs()
        last = last_plan(runs)
        # What a run was to ask that has left no plan is known by its number alone.
        nameless = runs[-1].total - runs[-1].done if runs and last is None else 0
        if last is not None and (last.ended is None or last.done < last.total):
            by_explainer = {name: store.answered(name) for name in last.plan["explainers"]}
            # Wordings that a plan leaves to the environment are told from what was asked.
            known = [*(key for keys in by_explainer.values() for key in keys), *(key for _, key in missing)]
            plan = last_run(store, known)
            missing |= {
                (name, key)
                for keys in plan.keys.values()
                for key in keys
                for name in plan.explainers
                if key not in by_explainer[name]
            }
    return Counts(answered, answered + max(len(missing), nameless), kept)
