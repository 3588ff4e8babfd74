"""Following a writer."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Iterator

from ._library import take

if TYPE_CHECKING:
    from ._array import Array

SLICE = 0.2  # seconds: Python sees Ctrl-C between two calls only


def follow(a: Array, timeout: float | None) -> Iterator[dict[str, Any]]:
    end = None if timeout is None else time.monotonic() + timeout
    first = True
    while first or end is None or time.monotonic() < end:
        first = False
        left = SLICE if end is None else max(0.0, min(SLICE, end - time.monotonic()))
        changes = json.loads(take("drx_poll", a._handle, left))
        if changes:
            a._changed()
        yield from changes
