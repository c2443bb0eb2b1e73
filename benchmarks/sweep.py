"""Every real session, under a dozen specs, four budgets, four providers: what holds, what does not.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.sweep [FILE ...]

Prints, for each file, how many requests were made, how many budgets were below what must stay, and
every violation. Every ref that a request or a manifest shows is read.
"""

import re
import sys
from collections import Counter

from tests.conftest import DATA, rows
from tests.data.test_real_sessions import FILES, LIMITS, SPECS, session_of_row

from contextwright import C, compile
from contextwright.errors import BudgetError, ContextwrightError
from contextwright.stores import Refs
from contextwright.testing import FORMATS, assert_valid, target_for

_REF = re.compile(r"event://[^\s,\]\\\"]+")


def sweep(name: str) -> Counter:
    """One file."""
    found: Counter = Counter()
    for row in rows(DATA / f"{name}.jsonl.gz"):
        session = session_of_row(row)
        if session is None:
            continue
        found["sessions"] += 1
        refs = Refs(session.snapshot())
        for format in FORMATS:
            for place, spec in enumerate(SPECS):
                for limit in LIMITS:
                    whole = spec | (C.budget(limit) if place % 3 else C.fit(limit))
                    try:
                        _one(session, whole, format, refs, found)
                    except BudgetError:
                        found[f"below the floor at {limit}"] += 1
                    except (AssertionError, ContextwrightError) as error:
                        found["VIOLATIONS"] += 1
                        print(name, row.get("id"), format, whole, limit, error)
    return found


def _one(session, spec, format, refs, found) -> None:
    target = target_for(format, 1_000_000)
    pack = compile(session, spec, target=target)
    assert_valid(pack, target)
    found["requests"] += 1
    if format == "openai-chat":
        shown = set(_REF.findall(pack.body.decode())) | {
            c.ref for c in pack.manifest.changes if c.ref
        }
        for ref in shown:
            refs.read(ref)
        found["refs"] += len(shown)


if __name__ == "__main__":
    total: Counter = Counter()
    for name in sys.argv[1:] or FILES:
        found = sweep(name)
        total += found
        print(f"{name:20}", dict(found), flush=True)
    print(f"{'all':20}", dict(total))
    sys.exit(bool(total["VIOLATIONS"]))
