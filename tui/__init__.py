"""The terminal explorer: a Textual front end over the engine."""
