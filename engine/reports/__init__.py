"""Reports of a campaign: from its stored answers to tables in every format (methods.md 1.5)."""
