"""How much may be asked: beyond these, numbers are mistakes that would fill the memory."""

from __future__ import annotations

LARGEST_BUDGET = 100_000
"""Cases of one category: pools grow with the budget, and no campaign asks so much."""
MOST_SAMPLES = 10_000
"""Questions for each case and wording."""
