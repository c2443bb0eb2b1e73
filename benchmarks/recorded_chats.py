"""The recorded tool sessions that benchmarks measure on, as plain chat messages."""

from collections.abc import Sequence

from benchmarks.economy_metrics import Message
from benchmarks.recorded import rows


def plain(messages: Sequence[Message]) -> list[Message]:
    """Standard keys only, ids unique, calls whose results never came without them."""
    found: list[Message] = []
    for message in messages:
        kept = {
            key: message[key]
            for key in ("role", "content", "tool_calls", "tool_call_id", "name", "is_demo")
            if message.get(key) is not None
        }
        if "tool_call_ids" in message and "tool_call_id" not in kept and message["role"] == "tool":
            kept["tool_call_id"] = message["tool_call_ids"][0]
        kept.setdefault("content", "")
        found.append(kept)
    return _answered(found)


def _answered(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    for at, message in enumerate(messages):
        calls = message.get("tool_calls")
        if not calls:
            if message["role"] != "tool" or message.get("tool_call_id"):
                found.append(message)
            continue
        ids = []
        for later in messages[at + 1 :]:
            if later["role"] != "tool":
                break
            ids.append(later.get("tool_call_id"))
        answered = [call for call in calls if call["id"] in ids]
        message = dict(message)
        if answered:
            message["tool_calls"] = answered
        else:
            del message["tool_calls"]
        found.append(message)
    return found


def sessions(name: str) -> list[list[Message]]:
    """The tool sessions of a file; `tau_chained` is tau-bench's first 25 of trial 0 as one."""
    if name == "tau_chained":
        chain: list[Message] = []
        for row in rows("tau_bench_airline"):
            if row["trial"] == 0 and row["task_id"] < 25:
                own = plain(row["messages"])
                chain += [m for m in own if m["role"] != "system" or not chain]
        return [chain]
    return [plain(row["messages"]) for row in rows(name)]
