"""Learn from the bill: what a provider counted against what was estimated."""

from typing import Any

from contextwright.tokens.counter import Counter, scaled

RATIO_HISTORY = 200
"""Newest ratios kept for a model."""
ENOUGH = 20
"""Ratios from which on a calibration is used."""
LOWEST, HIGHEST = 50, 250
"""Hundredths: a ratio outside is a mistake of somebody's, not a measurement."""
NEAR, SPREADS = 5, 3
"""Hundredths, and median distances from the median, within which a ratio is no outlier."""


class Calibrator:
    """Ratios of billed to estimated input tokens, by provider format and model.

    The factor is the 95th percentile of the newest 200 ratios once there are 20, outliers left
    out, and never below 1: an estimate may be high, not low. One bill alone never moves it. A
    calibrated counter stays as it is until the factor moved by 3 hundredths, so that counts stay
    remembered.
    """

    def __init__(self, ratios: dict[str, list[int]] | None = None) -> None:
        self._ratios: dict[str, list[int]] = ratios or {}
        self._used: dict[str, int] = {}

    def observe(self, format: str, model: str, billed: int, estimated: int) -> bool:
        """Take a bill into account; whether it was believable.

        Args:
            billed: input tokens that the provider counted, cached ones included.
            estimated: input tokens that the manifest of the request says, before calibration.
        """
        if billed <= 0 or estimated <= 0:
            return False
        ratio = -(-billed * 100 // estimated)
        if not LOWEST <= ratio <= HIGHEST:
            return False
        ratios = self._ratios.setdefault(f"{format} {model}", [])
        ratios.append(ratio)
        del ratios[:-RATIO_HISTORY]
        return True

    def factor(self, format: str, model: str) -> int:
        """The factor in hundredths; 100 until enough was seen."""
        key = f"{format} {model}"
        ratios = sorted(self._ratios.get(key, ()))
        if len(ratios) < ENOUGH:
            return 100
        factor = max(_high(ratios), 100)
        used = self._used.get(key, 100)
        if abs(factor - used) >= 3:
            self._used[key] = used = factor
        return max(used, ratios[len(ratios) // 2])

    def counter(self, format: str, model: str, base: Counter) -> Counter:
        """The base counter times the factor."""
        factor = self.factor(format, model) if self._ratios else 100
        return base if factor == 100 else scaled(base, factor)

    def to_data(self) -> dict[str, Any]:
        """The ratios as plain data, to be kept beside the sessions."""
        return {key: list(ratios) for key, ratios in self._ratios.items()}

    @classmethod
    def from_data(cls, data: dict[str, list[int]]) -> "Calibrator":
        """Read what `to_data` gave."""
        return cls({key: list(ratios)[-RATIO_HISTORY:] for key, ratios in data.items()})


def _high(ratios: list[int]) -> int:
    """The 95th percentile of sorted ratios, those left out that are far from most."""
    median = ratios[len(ratios) // 2]
    distances = sorted(abs(ratio - median) for ratio in ratios)
    near = max(NEAR, SPREADS * distances[len(distances) // 2])
    most = [ratio for ratio in ratios if abs(ratio - median) <= near]
    return most[(len(most) - 1) * 95 // 100]
