"""What the explorer shows, apart from its widgets: columns, layers, trails, tiles, plots."""
