"""The campaign screen's side of the real engine. Its parts load when they are first used."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import StormscopeError
from tui.campaigns.campaign_services import CampaignRequest, Estimate, Offer, Offers

if TYPE_CHECKING:
    import threading
    from collections.abc import AsyncGenerator, Mapping
    from pathlib import Path

    from engine.campaign.control import Control
    from engine.campaign.forecast import Forecaster, Pace
    from engine.campaign.plan import Plan
    from engine.oracle.facts import Oracle
    from engine.oracle.request import Request
    from tui.campaigns.campaign_services import Progress
    from tui.campaigns.tally import News
    from tui.services.engine_services import EngineServices

RECENT = 6
"""Campaigns that are asked how long an explainer's answers take."""


class EngineCampaigns:
    """What the campaign screen asks of the engine.

    Parameters
    ----------
    home
        Keeps the explainers and the settings.
    folder
        Where campaigns are kept; None takes the user's data folder.
    """

    def __init__(self, home: EngineServices, folder: Path | None) -> None:
        self._home = home
        self._folder = folder
        self._oracles: dict[str, tuple[Request, Oracle]] = {}
        self._forecaster: Forecaster | None = None
        self._paces: dict[tuple[object, ...], dict[str, Pace]] = {}

    def offers(self, oracle: Oracle, file: Path | None = None) -> Offers:
        """Return what a grid can be made of: the paper's categories and the first wording are chosen."""
        from engine.mdp.sources import known_environments  # noqa: PLC0415 - as above
        from engine.queries.registry import PAPER, all_categories  # noqa: PLC0415 - loads with the first form

        own = oracle.environment.name
        categories = []
        for category in all_categories().values():
            why = category.defined(oracle) or ""
            categories.append(Offer(category.name, why, chosen=not why and category.name in PAPER))
        names = self._home.explainers()
        return Offers(
            models=(
                Offer(own, "open", chosen=True),
                *(Offer(name) for name in sorted(known_environments()) if name != own),
            ),
            explainers=tuple(Offer(name, chosen=name in {names[0], "random", "first"}) for name in names),
            categories=tuple(categories),
            variants=tuple(Offer(name, chosen=not at) for at, name in enumerate(oracle.environment.variants)),
            before=self._before(oracle, file),
        )

    def _before(self, oracle: Oracle, file: Path | None) -> CampaignRequest | None:
        """Return the last grid of a file, by default the open model's own; what cannot be read was not asked."""
        from engine.campaign.plan import Plan  # noqa: PLC0415 - as above
        from engine.verdicts.overview import overview  # noqa: PLC0415 - as above

        given = file is not None
        file = file or self._home.campaign_file(oracle)
        try:
            if not file.is_file():
                return None
            plan = Plan.from_json(overview(file).plan)
        except (StormscopeError, OSError):
            return None
        wanted = () if given else self._home.wanted  # a campaign that goes on is left as it is
        request = CampaignRequest(
            tuple(dict.fromkeys([*plan.explainers, *wanted])),
            plan.categories,
            plan.budget,
            plan.models,
            plan.strategies,
            plan.variants,
            plan.samples,
            plan.seed,
            plan.concurrency,
            plan.difficulty,
            plan.shuffle,
        )
        return request if self.file(oracle, request) == file else replace(request, file=file)

    def file(self, oracle: Oracle, request: CampaignRequest) -> Path:
        """Return a grid's file: one for each set of models and each setting that a file cannot mix.

        Starting again continues it, and a larger grid adds to it.
        """
        from engine.folders import data_dir  # noqa: PLC0415 - as above

        if request.file is not None:
            return request.file
        own = oracle.environment.name
        models = request.models or (own,)
        if models == (own,):
            stem = f"{own}-{oracle.identity[:12]}"
        else:
            parts = [*sorted(models), *([oracle.identity] if own in models else [])]
            digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]
            stem = f"{models[0]}-{digest}" if len(models) == 1 else f"{len(models)}-environments-{digest}"
        settled = [
            *([f"seed{request.seed}"] if request.seed else []),
            *([request.difficulty] if request.difficulty != "paper" else []),
            *(["shuffled"] if request.shuffle else []),
        ]
        folder = self._folder if self._folder is not None else data_dir() / "campaigns"
        return folder / f"{'-'.join([stem, *settled])}.sqlite"

    def estimate(
        self, oracle: Oracle, request: CampaignRequest, progress: Progress, cancel: threading.Event
    ) -> Estimate:
        """Count the cases of a grid; models that are not open yet are checked first."""
        from engine.campaign.forecast import Forecaster, at_once  # noqa: PLC0415 - loads with the first count
        from engine.queries.generation import generate  # noqa: PLC0415 - as above

        plan = self._plan(oracle, request)
        models = [spec for spec in plan.explainers if not self._home.explainer_named(spec).baseline]
        oracles = {name: self._oracle(oracle, name, progress, cancel) for name in plan.models}
        if self._forecaster is None:
            self._forecaster = Forecaster(generate)
        file = self.file(oracle, request)
        forecast = self._forecaster.forecast(plan, oracles, file, progress=progress, cancelled=cancel.is_set)
        measured = self._measured(file)
        paces = {
            name: replace(
                measured.get(name) or self._priced(name, plan, oracles),
                at_once=at_once(self._home.explainer_named(name).explainer),
            )
            for name in models
        }
        return Estimate(forecast, paces, plan.concurrency, file)

    def _measured(self, file: Path) -> dict[str, Pace]:
        """Return what answers took in this campaign and in recent ones; a file is read again when it has changed."""
        from engine.campaign.forecast import measured_paces  # noqa: PLC0415 - as above

        try:
            others = sorted(file.parent.glob("*.sqlite"), key=lambda each: each.stat().st_mtime, reverse=True)[:RECENT]
            files = [*([file] if file.is_file() else []), *(each for each in others if each != file)]
            key = tuple((each, each.stat().st_mtime_ns) for each in files)
        except OSError:
            return {}
        if key not in self._paces:
            self._paces = {key: measured_paces(files)}
        return self._paces[key]

    def _priced(self, name: str, plan: Plan, oracles: Mapping[str, Oracle]) -> Pace:
        from engine.campaign.forecast import priced  # noqa: PLC0415 - as above
        from engine.prompts.rendering import render  # noqa: PLC0415 - templates load with the first price

        endpoint = getattr(self._home.explainer_named(name).explainer, "endpoint", None)
        prices = getattr(endpoint, "price_in", None), getattr(endpoint, "price_out", None)
        oracle = oracles[plan.models[0]]
        examples = self._forecaster.examples(plan, oracle) if self._forecaster is not None else []
        if prices == (None, None) or not examples:
            return priced(None, None, 0, 0)
        prompts = [render(oracle, case, explanation_length=plan.explanation_length) for case in examples]
        length = sum(len(prompt.system) + len(prompt.user) for prompt in prompts) // len(prompts)
        return priced(*prices, length, plan.explanation_length, currency=getattr(endpoint, "currency", ""))

    def run(self, oracle: Oracle, request: CampaignRequest, control: Control) -> AsyncGenerator[News, None]:
        """Ask many questions; each answer is committed before its event arrives. `control` pauses and stops it."""
        from tui.campaigns.campaign_run import run_plan  # noqa: PLC0415 - loads with the first campaign

        plan = self._plan(oracle, request)
        explainers = {spec: self._home.explainer_named(spec) for spec in plan.explainers}
        opened = partial(self._oracle, oracle)
        file = self.file(oracle, request)
        return run_plan(
            plan, opened, explainers, file, control=control, listening=self._home.listening, stores=self._home.stores
        )

    def _plan(self, oracle: Oracle, request: CampaignRequest) -> Plan:
        from engine.campaign.plan import Plan  # noqa: PLC0415 - loads with the first count

        return Plan(
            models=request.models or (oracle.environment.name,),
            explainers=request.explainers,
            categories=request.categories,
            strategies=request.strategies,
            variants=request.variants,
            budget=request.budget,
            samples=request.samples,
            seed=request.seed,
            concurrency=request.concurrency,
            explanation_length=self._home.settings.explanation_length,
            difficulty=request.difficulty,
            shuffle=request.shuffle,
        )

    def _oracle(self, own: Oracle, name: str, progress: Progress, cancel: threading.Event) -> Oracle:
        """Return the open model, or an environment, checked now or before; a changed environment is checked again."""
        from engine.cli.opening import Opening as ModelOpening  # noqa: PLC0415 - loads with another model
        from engine.oracle.client import open_oracle  # noqa: PLC0415 - as above

        if name == own.environment.name:
            return own
        opening = ModelOpening(name)
        environment, request = opening.request()
        known = self._oracles.get(name)
        if known is None or known[0] != request:
            oracle = open_oracle(request, environment, opening.limits(), progress=progress, cancel=cancel)
            self._oracles[name] = known = request, oracle
        return known[1]
