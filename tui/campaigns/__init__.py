"""Campaigns in the app: the grid, the run in the background, the live table, the file."""
