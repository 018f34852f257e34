"""A campaign: generate → ask → grade → store, as a stream of events that any front end can show."""

from engine.campaign.cache import AnswerCache, cache_file
from engine.campaign.control import Control
from engine.campaign.events import (
    Answered,
    Cell,
    Event,
    ExplainerFailed,
    Finished,
    Planned,
    Summary,
    Waiting,
)
from engine.campaign.plan import STRATEGIES, Plan
from engine.campaign.run import run_campaign
from engine.campaign.spent import Spent
from engine.campaign.tools import Tools

__all__ = [
    "STRATEGIES",
    "AnswerCache",
    "Answered",
    "Cell",
    "Control",
    "Event",
    "ExplainerFailed",
    "Finished",
    "Plan",
    "Planned",
    "Spent",
    "Summary",
    "Tools",
    "Waiting",
    "cache_file",
    "run_campaign",
]
