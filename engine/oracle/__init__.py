"""Exact facts about one MDP and one objective, from Storm in a child process."""
