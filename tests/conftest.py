"""Where the real sessions are, and how hypothesis runs."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from contextwright.compiler.trace import enforce_protection

SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large]
# `make test` and CI; a test names a number of its own only where this one is too many
settings.register_profile(
    "quick", deadline=None, derandomize=True, max_examples=10, suppress_health_check=SLOW_TO_DRAW
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# of an adapter's scenarios those that no other test plays in part; `make test-all` plays them all
QUICK_SCENARIOS = (
    "34-calls-",
    "read-back-by-",
    "redaction-of-",
)

DATA = Path(os.environ.get("CONTEXTWRIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))
if DATA.is_dir():  # benchmarks that tests run look there as well
    os.environ["CONTEXTWRIGHT_DATA"] = str(DATA)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real sessions; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no real sessions in {DATA}; set CONTEXTWRIGHT_DATA")
    return DATA


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


@pytest.fixture(scope="session")
def read_rows(data_dir: Path):
    """Read a data file by name, such as `security/redos`."""

    def read(name: str, limit: int | None = None) -> list[dict[str, Any]]:
        found = []
        for row in rows(data_dir / f"{name}.jsonl.gz"):
            if limit is not None and len(found) >= limit:
                break
            found.append(row)
        return found

    return read


# measured: scripts/slow_tests.py writes it
SLOW_TESTS = frozenset((Path(__file__).parent / "slow_tests.txt").read_text().splitlines())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves to `make test-all`. What runs inspect_ai comes last: once it is
    used it patches asyncio for all of its process (nest_asyncio2), so that `asyncio.run` closes no
    loop any more, and a server of a later test waits for connections that nobody closes."""
    items.sort(key=lambda item: "inspect_ai" in item.nodeid)
    for item in items:
        name = item.name.partition("[")
        is_scenario = name[0] == "test_scenario"
        if item.nodeid in SLOW_TESTS or (
            is_scenario and not any(part in name[2] for part in QUICK_SCENARIOS)
        ):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="session")
def _protection_raises() -> None:
    """A word that touches what is protected fails its test, wherever it is used."""
    enforce_protection()
