"""What is lost when something must go: the oldest, or the least salient
(cooling-and-forgetting.md).

    python -m benchmarks.salience        needs CONTEXTWRIGHT_DATA

Real sessions, replayed request by request. `calls`: share of the tool calls all of whose values
(identifiers, paths, amounts that came from a result or a user) are still in the request; `cost`:
input cost under OpenAI's cache rule, beside sending everything.
"""

import sys
import time
from collections.abc import Iterator

from benchmarks.economy import BUDGETS, run
from benchmarks.economy_baselines import full
from benchmarks.economy_own import compiled
from contextwright import C
from contextwright.spec.expr import Expr

NAMES = ("tau_chained", "pi_coding", "tau_bench_airline")


def ways(budget: int) -> Iterator[tuple[str, Expr]]:
    """Specs that leave things out and shorten nothing."""
    yield "oldest out", C.default() | C.budget(budget)
    yield (
        "least salient out",
        C.default() | C.budget(budget, overflow="truncate_least_salient"),
    )
    for share in (2, 4):
        sliding = C.default() | C.sliding(budget * 7 // 10, recent=budget // share * 7 // 10)
        yield f"sliding, recent 1/{share}", sliding | C.budget(budget)


def main(names: tuple[str, ...]) -> None:
    """The tables."""
    for name in names or NAMES:
        budget, whole = BUDGETS[name], run(name, full, None)
        print(f"{name}, {budget} tokens")
        for label, spec in ways(budget):
            start = time.perf_counter()
            found = run(name, lambda spec=spec: compiled(spec), budget)
            seconds = time.perf_counter() - start
            print(
                f"  {label:24} calls {found.call_share:.3f}  cost {found.openai / whole.openai:.3f}"
                f"  invalid {found.invalid}  over {found.over}  {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
