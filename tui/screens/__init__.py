"""The screens: each shows values and posts what the user wants."""
