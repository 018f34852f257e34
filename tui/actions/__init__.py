"""Every action of the app in one registry: its id, keys, words and place in the help."""
