"""The campaign files that this program is writing: a running campaign and answers that are kept share them."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.errors import StoreError
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class OpenStores:
    """One writer for each file; every method blocks, but never for longer than a commit takes."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._open: dict[Path, Store] = {}

    def open(self, file: Path) -> Store:
        """Open a file for a campaign; raises StoreError if another one, or another program, writes it."""
        with self._mutex:
            if file.absolute() in self._open:
                raise StoreError(
                    "your campaign is running in this file", where=str(file), hint="wait, or stop it first"
                )
            store = self._open[file.absolute()] = Store(file, write=True)
            return store

    def close(self, store: Store) -> None:
        """Close a campaign's file, once nobody writes through it any more."""
        with self._mutex:
            self._open.pop(store.path.absolute(), None)
            store.close()

    @contextmanager
    def writing(self, file: Path) -> Iterator[Store]:
        """Give the file, that of a running campaign where it is open already; raises StoreError as `Store` does."""
        with self._mutex:
            store = self._open.get(file.absolute())
            if store is not None:
                yield store
                return
            with Store(file, write=True) as own:
                yield own
