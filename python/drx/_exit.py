"""Arrays and datasets that are still open when the interpreter ends.

They are treated like files: closing them commits. But after an uncaught exception their changes are
discarded, as in a ``with`` statement. Synced changes are safe in any case.
"""

from __future__ import annotations

import atexit
import sys
import warnings
import weakref
from typing import Any

from . import _library

_open: weakref.WeakSet[Any] = weakref.WeakSet()


def opened(x: Any) -> None:
    """Records an open array or dataset."""
    _open.add(x)


def closed(x: Any) -> None:
    """Removes a closed one."""
    _open.discard(x)


def _failed() -> bool:
    """Whether the program ends by an exception. An interactive one does not: the exception belongs
    to an earlier prompt."""
    return getattr(sys, "last_value", None) is not None and not hasattr(sys, "ps1") and not sys.flags.interactive


@atexit.register
def _close_all() -> None:
    if _library.forked():
        return
    for x in list(_open):
        end = x.discard if _failed() else x.close
        if x._mode != _library.READ:
            verb = "discarded" if _failed() else "committed"
            warnings.warn(f"{x!r} was not closed before the end of the program: it is {verb}", ResourceWarning, source=x)
        try:
            end()
        except Exception as e:
            print(f"drx: {x.name}: closing it at the end of the program: {e}", file=sys.stderr)
