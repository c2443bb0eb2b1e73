"""One side of an interleaved measurement: times one compile a line that it reads.

    PYTHONPATH=SRC:. python -m benchmarks.house_turns < requests

It runs on the code before and on the code after, so it uses nothing but what both have.
"""

import gc
import hashlib
import json
import random
import sys
import time

from benchmarks.generated import generated_session, grow
from contextwright import C, compile
from contextwright.testing import target_for
from contextwright.tokens.counter import counter_for

SPECS = {
    "readme": C.window(n=10) | C.compact() | C.budget(max_tokens=8000),
    "budget": C.default() | C.budget(max_tokens=8000),
    "compaction": C.compaction(max_tokens=8000),
}
TARGET = target_for("openai-chat")


def main() -> None:
    """Reads `[spec, events, "turn" or "message"]`, appends it, compiles, prints milliseconds, the
    body's hash and its bytes."""
    counter_for("gpt-5").count("load the vocabulary")
    sessions, dice = {}, {}
    turns = iter(range(10**6, 10**7))
    for line in sys.stdin:
        name, events, what = json.loads(line)
        key = (name, events)
        if key not in sessions:
            sessions[key], dice[key] = generated_session(events), random.Random(1)
            compile(sessions[key], SPECS[name], target=TARGET)
            gc.collect()
            gc.freeze()
        if what == "turn":
            grow(sessions[key], next(turns), dice[key])
        else:
            sessions[key].assistant(f"one more: {next(turns)}")
        start = time.perf_counter()
        pack = compile(sessions[key], SPECS[name], target=TARGET)
        taken = (time.perf_counter() - start) * 1000
        print(
            json.dumps([taken, hashlib.sha256(pack.body).hexdigest(), len(pack.body)]), flush=True
        )


if __name__ == "__main__":
    main()
