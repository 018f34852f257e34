"""Who answers: baselines that know the form of an answer, and language models behind HTTP (methods.md 1.4)."""
