"""The headless engine of stormscope: model file → arrays → facts → cases → prompts → answers → verdicts → tables.

Each arrow is a function that can be called alone from a script or a notebook. Nothing here imports Textual.
"""

__version__ = "0.1.0"
