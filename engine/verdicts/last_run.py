"""What the last run of a campaign was to ask, from its file alone: no model is checked for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.verdicts.records import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from engine.verdicts.records import RunRecord
    from engine.verdicts.store import Store


@dataclass(frozen=True, slots=True)
class LastRun:
    """The questions of a plan; empty if nothing was planned.

    Attributes
    ----------
    explainers
        Who was to be asked, in the order of the plan.
    keys
        ``(model, category)`` → the questions of any one explainer, in the order of the plan.
    """

    explainers: tuple[str, ...] = ()
    keys: Mapping[tuple[str, str], Sequence[Key]] = field(default_factory=dict)

    def answered(self, by_explainer: Mapping[str, AbstractSet[Key]]) -> int:
        """Return how many of its questions are answered, given what each explainer has answered."""
        known = [by_explainer.get(name, frozenset()) for name in self.explainers]
        return sum(key in each for keys in self.keys.values() for key in keys for each in known)


def last_run(store: Store, known: Iterable[Key]) -> LastRun:
    """Return what the last run was to ask.

    A plan does not name an environment's first wording, and ``all`` of them stands for names that only the environment
    knows: they are those of the answers and, where there are none yet, nameless.

    Parameters
    ----------
    store
        The campaign; read in one snapshot with `known`.
    known
        The questions with an answer or a failure, of all explainers; those kept by hand say nothing of a plan.

    Raises
    ------
    StoreError
        If the file cannot be read.
    """
    run = last_plan(store.runs())
    if run is None:
        return LastRun()
    plan = run.plan
    cases = _cases(store, plan)
    wordings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key in known:
        if key.sample >= 0:
            wordings[key.case][key.variant] += 1
    samples = range(int(plan.get("samples", 1)))
    keys: dict[tuple[str, str], Sequence[Key]] = {}
    for model in plan["models"]:
        seen: Counter[str] = Counter()
        for (its_model, _), ids in cases.items():
            if its_model == model:
                for case in ids:
                    seen += wordings[case]
        variants = _variants(run, [name for name, _ in seen.most_common()], sum(map(len, cases.values())))
        for (its_model, category), ids in cases.items():
            if its_model == model:
                keys[model, category] = [
                    Key(case, variant, sample) for case in ids for variant in variants for sample in samples
                ]
    return LastRun(tuple(plan["explainers"]), keys)


def last_plan(runs: Sequence[RunRecord]) -> RunRecord | None:
    """Return the last run that had a plan; None if there was none."""
    return next((run for run in reversed(runs) if _is_plan(run.plan)), None)


def _is_plan(plan: Mapping[str, Any]) -> bool:
    return all(isinstance(plan.get(name), list) for name in ("models", "explainers", "categories"))


def _cases(store: Store, plan: Mapping[str, Any]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return ``(model, category)`` → the ids of the cases that the strategies have chosen, each once."""
    return {
        (model, category): tuple(dict.fromkeys(_chosen(store, plan, model, category)))
        for model in plan["models"]
        for category in plan["categories"]
    }


def _chosen(store: Store, plan: Mapping[str, Any], model: str, category: str) -> Iterator[str]:
    for strategy in plan.get("strategies", ("prioritized",)):
        selection = store.selection(model, category, strategy, int(plan.get("budget", 0)))
        if selection is not None:
            yield from (case.id for case in selection.cases)


def _variants(run: RunRecord, seen: Sequence[str], cases: int) -> list[str]:
    """Return as many wordings as a case is asked in; `seen` are those of the answers, the most frequent first."""
    named = list(run.plan.get("variants", ()))
    if named and named != ["all"]:
        return named
    number = 1
    if named:
        each = cases * len(run.plan["explainers"]) * int(run.plan.get("samples", 1))
        number = run.total // each if each and run.total % each == 0 else max(len(seen), 1)
    return [*seen[:number], *(f"?{place}" for place in range(number - len(seen)))]
