"""The start screen: what it lists, what it says about it, and the ways from it to a model and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from campaign_support import MOVES
from reference import frozen_lake_4x4
from tui_support import FakeOpener, FakeServices, explorer, text_of, until

import environments
from engine.campaign.plan import Plan
from engine.errors import ModelError, UsageError
from engine.explainers.base import Reply
from engine.mdp.constants import Constant
from engine.queries.case import Case
from engine.recent import RecentModel, load_recent, remember_campaign, remember_model, remember_tour
from engine.verdicts.overview import overview
from engine.verdicts.records import Answer, Key, ModelRecord, Selection
from engine.verdicts.store import Store, now
from engine.verdicts.verdict import Outcome, Verdict
from tui.app import ExplorerApp
from tui.campaigns.resuming import resume_command
from tui.screens.campaign_file import CampaignFileScreen
from tui.screens.explorer import ExplorerScreen
from tui.screens.message import FailureScreen
from tui.screens.start import StartScreen
from tui.screens.welcome import WelcomeScreen
from tui.services.paths import common_start, completions, model_of
from tui.widgets.entry_list import EntryList
from tui.widgets.path_input import PathInput

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from tui.services.models import Opener


@pytest.fixture(autouse=True)
def _returning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test folders of its own, and a user who has been here before."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    remember_tour()


def start_app(opener_of: Callable[[RecentModel], Opener] | None = None) -> ExplorerApp:
    """Return the app at its start screen; models open as a scripted Frozen Lake."""
    found = opener_of or (lambda _: FakeOpener(lambda *_: frozen_lake_4x4()))
    return ExplorerApp(None, services=FakeServices(), theme="storm-dark", opener_of=found)


async def started(pilot: Pilot[None]) -> StartScreen:
    """Wait until the list is filled, and return the screen."""
    await until(pilot, lambda: isinstance(pilot.app.screen, StartScreen))
    screen = pilot.app.screen
    assert isinstance(screen, StartScreen)
    await until(pilot, lambda: bool(screen.query_one(EntryList).option_count))
    return screen


async def back_to(pilot: Pilot[None], screen: ExplorerScreen) -> None:
    """Go back from the start screen; the first escape may stop a look that is under way."""
    for _ in range(3):
        await pilot.press("escape")
        await pilot.pause(0.2)
        if pilot.app.screen is screen:
            return
    raise AssertionError("escape does not lead back")


def select(screen: StartScreen, text: str) -> None:
    """Put the cursor on the entry whose key ends like this."""
    listed = screen.query_one(EntryList)
    option = next(option for option in listed.options if (option.id or "").endswith(text))
    listed.highlighted = listed.get_option_index(option.id or "")


async def test_every_packaged_environment_is_listed() -> None:
    """Names come with the first frame, under their heading, and the cursor begins at the first one."""
    app = start_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        assert all(name in text_of(app) for name in environments.packaged())
        assert screen.query_one(EntryList).entry is not None
        assert "Your environments" not in text_of(app)


async def test_a_look_shows_picture_size_and_value() -> None:
    """Frozen Lake: its map, 16 states, one bottleneck, V(start) = 14/17 (linear equations solved by hand)."""
    app = start_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        select(screen, ":frozen_lake")
        await until(pilot, lambda: "14/17" in text_of(app))
        shown = text_of(app)
        for part in ("Frozen Lake", "16 states", "4 dead ends, 1 bottleneck", 'Pmax=? [F "goal"]', "14/17", "map=4"):
            assert part in shown
        assert shown.count(" O ") == 4  # the holes


async def test_enter_opens_and_f2_comes_back() -> None:
    """From the list into the explorer, to the start screen over it, and back to the same state with escape."""
    wanted: list[RecentModel] = []

    def opener_of(model: RecentModel) -> Opener:
        wanted.append(model)
        return FakeOpener(lambda *_: frozen_lake_4x4())

    app = start_app(opener_of)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        select(screen, ":dam")
        await pilot.press("enter")
        shown = await explorer(pilot)
        await pilot.press("end")
        await pilot.pause(0.1)
        await pilot.press("f2")
        await started(pilot)
        await back_to(pilot, shown)
        assert shown.trail.current == 15
    assert wanted == [RecentModel("dam")]


async def test_another_model_replaces_the_open_one() -> None:
    """A second choice leaves one explorer on the stack, at the second model, with nothing of the first below it."""
    app = start_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("enter")
        first = await explorer(pilot)
        await pilot.press("f2")
        await started(pilot)
        await pilot.press("j", "enter")
        await until(pilot, lambda: isinstance(app.screen, ExplorerScreen) and app.screen is not first)
        kinds = [type(screen) for screen in app.screen_stack[1:]]
        assert kinds == [StartScreen, ExplorerScreen]
        await explorer(pilot)


async def test_a_path_is_completed_and_opened(tmp_path: Path) -> None:
    """Tab completes a folder and then the file in it; enter opens what is written."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "lake.prism").write_text("mdp")
    (tmp_path / "models" / "readme.txt").write_text("no model")
    wanted: list[str] = []

    def opener_of(model: RecentModel) -> Opener:
        wanted.append(model.model)
        return FakeOpener(lambda *_: frozen_lake_4x4())

    app = start_app(opener_of)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("slash")
        field = screen.query_one(PathInput)
        field.value = f"{tmp_path}/mod"
        field.cursor_position = len(field.value)
        await pilot.press("tab")
        await until(pilot, lambda: field.value == f"{tmp_path}/models/")
        await pilot.press("tab")
        await until(pilot, lambda: field.value.endswith("lake.prism"))
        await pilot.press("enter")
        await explorer(pilot)
    assert wanted == [f"{tmp_path}/models/lake.prism"]


async def test_what_cannot_be_found_is_said_below_the_field() -> None:
    """The engine's words and its hint stand there; typing takes them back."""
    app = ExplorerApp(None, services=FakeServices(), theme="storm-dark")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("slash", *"frozn")
        await pilot.press("enter")
        await until(pilot, lambda: "did you mean frozen_lake?" in text_of(app))
        await pilot.press("x")
        await until(pilot, lambda: "did you mean" not in text_of(app))
        assert app.screen is screen


async def test_a_model_that_cannot_be_checked_leads_back() -> None:
    """Its error is read in a message; closing it shows the start screen again, and the app goes on."""

    def fail(*_: object) -> None:
        raise ModelError("the model has a deadlock", hint="add a loop")

    app = start_app(lambda _: FakeOpener(fail))  # type: ignore[arg-type]  # it never returns
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "Back" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        assert (app.failure, app.model.oracle) == (None, None)


async def test_cancelling_leads_back() -> None:
    """Escape while a model is opening stops the oracle and shows the start screen."""

    def wait(settings: object, progress: object, cancel: object) -> None:
        del settings, progress
        cancel.wait(20)  # type: ignore[attr-defined]  # a threading.Event
        from engine.errors import CancelledError  # noqa: PLC0415 - only here

        raise CancelledError("cancelled")

    app = start_app(lambda _: FakeOpener(wait))  # type: ignore[arg-type]  # it never returns
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "esc cancels" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("j")
        assert "opening" not in text_of(app)


async def test_open_constants_are_asked_for() -> None:
    """A model without values asks for them over the start screen; giving up leads back, values open it."""
    missing = (Constant("N", "int", "size"),)
    app = start_app(lambda _: FakeOpener(lambda *_: frozen_lake_4x4(), constants=missing))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "needs values" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("enter")
        await until(pilot, lambda: "needs values" in text_of(app))
        await pilot.press("3", "enter")
        await explorer(pilot)


async def test_a_failed_second_model_leaves_the_first_one() -> None:
    """If another model cannot be opened, the open one is still there, with its own constants."""
    opened: list[str] = []

    def opener_of(model: RecentModel) -> Opener:
        def open_model(*_: object) -> object:
            opened.append(model.model)
            if len(opened) > 1:
                raise UsageError("no such label")
            return frozen_lake_4x4()

        return FakeOpener(open_model, title=model.model)  # type: ignore[arg-type]  # returns an oracle or fails

    app = start_app(opener_of)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("enter")
        first = await explorer(pilot)
        opener = app.model.opener
        await pilot.press("f2")
        await started(pilot)
        await pilot.press("j", "enter")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        await pilot.press("enter")
        await started(pilot)
        await back_to(pilot, first)
        assert app.model.opener is opener


async def test_recent_files_are_listed_and_forgotten(tmp_path: Path) -> None:
    """A file that was open is offered with its constants; delete takes it off the list."""
    remember_model(RecentModel(str(tmp_path / "queue.prism"), (("N", "3"),), None, "queue", 40))
    remember_model(RecentModel("frozen_lake"))
    app = start_app()
    async with app.run_test(size=(80, 30)) as pilot:
        screen = await started(pilot)
        assert "queue.prism:N=3" in text_of(app)
        assert text_of(app).count("frozen_lake") == 1  # it is among the environments already
        select(screen, "queue.prism")
        await pilot.press("delete")
        await until(pilot, lambda: "queue.prism" not in text_of(app))
    assert [each.model for each in load_recent().models] == ["frozen_lake"]


def make_campaign(file: Path, done: int) -> None:
    """Write a campaign file whose one run has answered some of 40 questions."""
    file.parent.mkdir(parents=True, exist_ok=True)
    plan = Plan(("frozen_lake",), ("random",), ("best-action",), budget=40)
    with Store(file, write=True) as store:
        store.add_models([ModelRecord.of("frozen_lake", frozen_lake_4x4())])
        store.add_explainers({"random": True})
        cases = [
            Case(f"c{number}", "best-action", (number % 16,), MOVES, ("left",), {}, 0.5, {}, "prioritized")
            for number in range(40)
        ]
        store.add_selections("frozen_lake", "prioritized", 40, {"best-action": Selection(tuple(cases))})
        passed = Verdict(Outcome.PASS, 1.0, "right", "left", ("left",), {})
        keys = [Key(case.id, "plain", 0) for case in cases[:done]]
        store.add_answers([Answer(key, "random", "s", "u", Reply("left"), passed, now()) for key in keys])
        run = store.start_run(plan.to_json(), "1", total=40, done=0)
        store.end_run(run, done=done)


async def test_an_unfinished_campaign_is_resumed(tmp_path: Path) -> None:
    """The explorer's own campaign says how far it is, and enter opens its model and then the campaign."""
    make_campaign(tmp_path / "data" / "stormscope" / "campaigns" / "frozen_lake-abc.sqlite", 12)
    app = start_app()
    async with app.run_test(size=(80, 30)) as pilot:
        screen = await started(pilot)
        await until(pilot, lambda: "12/40" in text_of(app))
        select(screen, "frozen_lake-abc.sqlite")
        await until(pilot, lambda: "12 of 40 answered, unfinished" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: type(app.screen).__name__ == "CampaignScreen")


async def test_a_campaign_of_the_command_line_is_shown(tmp_path: Path) -> None:
    """Enter shows its tables, and the command that goes on with it has every option of the campaign."""
    file = tmp_path / "my runs" / "a.sqlite"
    make_campaign(file, 40)
    remember_campaign(file)
    app = start_app()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await started(pilot)
        await until(pilot, lambda: "done" in text_of(app))
        select(screen, "a.sqlite")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CampaignFileScreen))
    command = resume_command(overview(file))
    assert command.startswith(f"stormscope run --out '{file}' --env frozen_lake --explainer random")
    assert "--category best-action" in command


async def test_a_file_that_is_no_campaign_is_explained(tmp_path: Path) -> None:
    """It is listed, and looking at it says what is wrong."""
    file = tmp_path / "notes.sqlite"
    file.write_text("not a database")
    remember_campaign(file)
    app = start_app()
    async with app.run_test(size=(80, 30)) as pilot:
        screen = await started(pilot)
        select(screen, "notes.sqlite")
        await until(pilot, lambda: "not a campaign file" in text_of(app))


async def test_the_tour_is_offered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start offers to show around; whatever the answer, the second start does not."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "fresh"))
    shown = []
    for _ in range(2):
        app = start_app()
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause(0.5)
            shown.append(type(app.screen))
            await pilot.press("escape")
            await started(pilot)
    assert shown == [WelcomeScreen, StartScreen]


def test_completions(tmp_path: Path) -> None:
    """Folders and model files are offered, hidden ones only when the dot is typed, nothing fails."""
    folder = tmp_path / "models"
    (folder / "abd").mkdir(parents=True)
    for name in ("a.prism", "ab.JANI", "abc.txt", ".hidden.drn"):
        (folder / name).write_text("")
    base = f"{folder}/"
    assert completions(f"{base}a") == (f"{base}a.prism", f"{base}ab.JANI", f"{base}abd/")
    assert completions(f"{base}.h") == (f"{base}.hidden.drn",)
    assert completions(base) == completions(f"{base}a")
    assert completions(f"{base}nowhere/x") == completions("\0") == completions("~nobody-here/x") == ()
    assert common_start(completions(f"{base}a")) == f"{base}a"
    assert common_start(completions(f"{base}ab")) == f"{base}ab"
    assert common_start(()) == ""


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("frozen_lake:map=8", RecentModel("frozen_lake", (("map", "8"),))),
        ("./a.prism:N=2,p=1/3", RecentModel("./a.prism", (("N", "2"), ("p", "1/3")))),
        ("gym:FrozenLake-v1", RecentModel("gym:FrozenLake-v1")),
        ("gym:FrozenLake-v1:is_slippery=false", RecentModel("gym:FrozenLake-v1", (("is_slippery", "false"),))),
        ("a:b.prism", RecentModel("a:b.prism")),
    ],
)
def test_the_field_reads_what_the_list_of_recent_models_says(text: str, model: RecentModel) -> None:
    """Constants stand behind a colon; other colons belong to the name."""
    assert model_of(text) == model


def test_a_file_with_such_a_name_is_that_file(tmp_path: Path) -> None:
    """A file called lake:N=3.prism is not a model lake with a constant; what is no constant is refused."""
    file = tmp_path / "lake:N=3.prism"
    file.touch()
    assert model_of(str(file)) == RecentModel(str(file))
    with pytest.raises(UsageError):
        model_of("lake:=3")


async def test_recent_models_are_listed_by_their_constants_and_typed_alike() -> None:
    """Two choices of constants are two lines; what a line says opens the same model from the field."""
    for constants in ((("map", "4"), ("slip", "1/3")), (("map", "8"),)):
        remember_model(RecentModel("frozen_lake", constants, None, "Frozen Lake"))
    wanted: list[RecentModel] = []

    def opener_of(model: RecentModel) -> Opener:
        wanted.append(model)
        return FakeOpener(lambda *_: frozen_lake_4x4())

    app = start_app(opener_of)
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        assert "frozen_lake:map=4,slip=1/3" in text_of(app)
        assert "frozen_lake:map=8" in text_of(app)
        await pilot.press("slash", *"frozen_lake:map=4,slip=1/3", "enter")
        await explorer(pilot)
    assert [(each.model, each.constants) for each in wanted] == [("frozen_lake", (("map", "4"), ("slip", "1/3")))]
