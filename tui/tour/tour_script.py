"""What the tour shows, in order: what it does, what it waits for, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

MODEL = "frozen_lake"


class Wait(Enum):
    """What a step waits for before it speaks."""

    NOTHING = "nothing"
    EXPLORER = "the explorer"
    VERDICT = "a verdict"


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes
    ----------
    title, text
        The caption; ``{explorer.back}`` stands for the key of that action.
    opens
        Whether it opens the tour's model first.
    bottleneck
        Whether it selects a bottleneck first.
    actions
        Ids of actions that are done first, by their keys.
    wait
        What must have happened before the caption is shown.
    top
        Whether the caption stands at the top.
    """

    title: str
    text: str
    opens: bool = False
    bottleneck: bool = False
    actions: tuple[str, ...] = ()
    wait: Wait = Wait.NOTHING
    top: bool = False


SCRIPT = (
    Step(
        "1  Where to begin",
        "The start screen lists environments, your recent files and campaigns, with a picture, the size and the "
        "value of each. A file of your own opens in the field below. Frozen Lake comes next.",
    ),
    Step(
        "2  The oracle",
        "A model checker has computed everything here, with exact fractions. Each line is a state; V is the highest "
        "probability of reaching the goal from it, D the risk that no play can avoid.",
        opens=True,
        wait=Wait.EXPLORER,
    ),
    Step(
        "3  One state",
        "The picture colours each tile by its V, and everything follows the cursor. The tile left of the goal is a "
        "bottleneck: every run that reaches the goal passes through it.",
        bottleneck=True,
    ),
    Step(
        "4  Its actions",
        "Q is the value of taking an action once and playing optimally afterwards. On a successor {actions.walk} walks "
        "there, {explorer.back} comes back. Best and worst are decided exactly; what cannot be decided says so.",
        actions=("explorer.actions",),
        top=True,
    ),
    Step(
        "5  The witness",
        "Now a language model is asked which action is optimal here. Its answer is compared with the oracle's. "
        "If the model is not installed, the tour shows an answer that was recorded from it.",
        actions=("explorer.table", "explorer.ask"),
    ),
    Step(
        "6  The verdict",
        "Pass or fail, what the model said, what is true, and the numbers that show why. Regret is what the wrong "
        "action costs. Asking again, or another model, is one key.",
        actions=("ask.send",),
        wait=Wait.VERDICT,
    ),
    Step(
        "7  Many questions",
        "A campaign asks every category of every explainer you choose, in the background. Baselines stand beside the "
        "models: a pass rate means little without what guessing gets.",
        actions=("ask.cancel", "explorer.campaign"),
    ),
    Step(
        "8  Finding your way",
        "{app.help} shows the keys of the place where you are, {app.palette} finds every command, environment and "
        "explainer, {app.settings} has endpoints, themes and keys. {app.tour} comes back to this tour.",
        actions=("campaign.leave",),
    ),
)
