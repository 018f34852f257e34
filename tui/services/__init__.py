"""What the app needs of the engine, behind one interface that tests replace."""
