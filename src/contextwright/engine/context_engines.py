"""The engines of a context: one for each tenant, model and shape of a request.

What an engine learns from bills and refusals, it learns for one tenant: how many tokens a
provider counts, and where its window ends, shifts no limit of another's.
"""

import threading
from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

from contextwright.engine.engine import Engine
from contextwright.tokens.calibrate import Calibrator

MOST = 1024
"""Engines of a context; the one used longest ago goes first."""


class ContextEngines:
    """Engines in memory. They may be asked for from several threads.

    Args:
        most: how many.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._engines: dict[Hashable, Engine] = {}  # the one used last stands last
        # of a tenant, as long as it has an engine
        self._calibrators: WeakValueDictionary[str, Calibrator] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._engines)

    def engine(self, tenant: str, shape: Hashable, make: Callable[[], Engine]) -> Engine:
        """The engine of a tenant for a shape of requests. All of a tenant's learn from one
        another's bills how a model's tokens are counted.

        Args:
            make: gives a new one.
        """
        key = tenant, shape
        with self._lock:
            known = self._engines.pop(key, None)
            if known is None:
                known = make()
                known.calibrator = self._calibrators.setdefault(tenant, known.calibrator)
            self._engines[key] = known
            while len(self._engines) > self._most:
                del self._engines[next(iter(self._engines))]
            return known
