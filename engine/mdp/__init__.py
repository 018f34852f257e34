"""An MDP as arrays, and where models come from."""
