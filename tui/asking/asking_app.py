"""The part of the app that asks: it opens the ask screen, and lets witnesses be walked and cards be saved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.explorer.trail import Trail
from tui.model_app import ModelApp

if TYPE_CHECKING:
    from engine.witnesses.likeliest import Path
    from tui.asking.ask_session import AskSession
    from tui.screens.explorer import ExplorerScreen
    from tui.services.services import Services
    from tui.widgets.verdict_card import VerdictCard


class AskingApp(ModelApp):
    """An app in which questions about the open model are asked."""

    explainer: str
    _sitting: AskSession | None = None
    _asked_of = ""
    """The default explainer when the last sitting began: another one since then is asked instead."""

    @property
    def services(self) -> Services:
        """The engine."""
        raise NotImplementedError

    @property
    def explorer(self) -> ExplorerScreen | None:
        """The explorer, if a model is open."""
        raise NotImplementedError

    def on_explorer_screen_ask_requested(self, event: ExplorerScreen.AskRequested) -> None:
        """Open the question form for the marked states, or for the selected one."""
        from tui.asking.ask_session import AskSession, FormValues  # noqa: PLC0415 - loads with the first question

        explorer = self.explorer
        if explorer is None:
            return
        before = self._sitting.form if self._sitting is not None else FormValues()
        explainers = before.explainers if self._asked_of == self.explainer else (self.explainer,)
        self._asked_of = self.explainer
        form = replace(
            before, explainers=explainers or (self.explainer,), category="", states="", parameter="", edited=None
        )
        if form.variant not in explorer.oracle.environment.variants:
            form = replace(form, variant="")
        if self._sitting is not None:
            self._sitting.cancel()
        self._sitting = AskSession(explorer.oracle, self.services, event.states, explorer.trail.states, form)
        self._open_sitting()

    def action_last_verdict(self) -> None:
        """Go back to the last question and its verdicts."""
        explorer, sitting = self.explorer, self._sitting
        if explorer is not None and sitting is not None and sitting.oracle is explorer.oracle:
            self._open_sitting()
        else:
            self.notify("Nothing was asked about this model yet; a asks.")

    def _open_sitting(self) -> None:
        from tui.screens.ask import AskScreen  # noqa: PLC0415 - forms load when they are opened

        if self._sitting is not None and not isinstance(self.screen, AskScreen):
            self.push_screen(AskScreen(self._sitting))

    def on_verdict_card_export_requested(self, event: VerdictCard.ExportRequested) -> None:
        """Save a card as a file."""
        from tui.screens.save_card import SaveCardScreen  # noqa: PLC0415 - loads when it is opened

        self.push_screen(SaveCardScreen(event.card, self.appearance.export_folder))

    def on_verdict_card_replay_requested(self, event: VerdictCard.ReplayRequested) -> None:
        """Walk along a witness in the explorer; of several the user chooses one."""
        from tui.screens.witness import WitnessScreen  # noqa: PLC0415 - as above

        explorer = self.explorer
        if explorer is None or explorer.oracle.mdp is not event.mdp:
            self.notify("This is about another model than the open one.")
            return
        paths = [each.path for each in event.witnesses if each.path is not None]

        def walk(place: int | None) -> None:
            if place is not None:
                self._walk(explorer, paths[place])

        if len(paths) == 1:
            walk(0)
        else:
            self.push_screen(WitnessScreen(event.witnesses, event.mdp), walk)

    def _walk(self, explorer: ExplorerScreen, path: Path) -> None:
        """Go to the explorer, at the beginning of a path that lies ahead."""
        while self.screen is not explorer:
            self.pop_screen()
        states, choices = path.states[: Trail.limit], path.choices[: Trail.limit - 1]
        explorer.trail = Trail(states, 0, (None, *choices))
        steps = f"{len(choices)} step{'' if len(choices) == 1 else 's'}"
        explorer.notify(f"{steps} ahead: ] walks forward, [ back. A returns to the verdict.", title="Witness")
