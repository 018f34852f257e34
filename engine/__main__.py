"""The headless commands alone: ``python -m engine``."""

from engine.cli.app import app

if __name__ == "__main__":
    app()
