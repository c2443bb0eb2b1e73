"""When: prepare before a turn, assemble for it, record after it."""

from contextwright.engine.engine import Engine, compile
from contextwright.engine.record import record

__all__ = ["Engine", "compile", "record"]
