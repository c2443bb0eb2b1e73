"""Recall, precision and speed of the built-in redaction patterns on labelled data.

    python benchmarks/redaction.py [--data DIR] [--json FILE]

`DIR` (or $CONTEXTWRIGHT_DATA) holds `security/NAME.jsonl.gz`. Recall: labelled spans that are
wholly covered. Precision: of all rows where something was found, those labelled so; for texts,
found spans that touch a labelled one.
"""

import argparse
import gzip
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contextwright.redaction.scan import Scanner, Span, compile_patterns

ENTITIES = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "TR_PHONE_NUMBER": "phone",
    "PH_MOBILE_NUMBER": "phone",
    "US_SSN": "ssn",
    "US_ITIN": "us_itin",
    "CREDIT_CARD": "credit_card",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
    "MAC_ADDRESS": "mac_address",
    "US_PASSPORT": "us_passport",
    "URL": "url",
    "DOMAIN_NAME": "url",
}
Row = dict[str, Any]


class Score:
    """Counts of one entity in one data set."""

    def __init__(self) -> None:
        self.found = self.missed = self.right = self.wrong = 0

    @property
    def recall(self) -> float:
        return self.found / max(1, self.found + self.missed)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)


def rows(data: Path, name: str) -> list[Row]:
    with gzip.open(data / "security" / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def covers(spans: tuple[Span, ...], start: int, end: int) -> bool:
    return any(span.start <= start and end <= span.end for span in spans)


def score_texts(data: Path) -> dict[str, Score]:
    """`pii_text`: sentences and mails with spans."""
    scores: dict[str, Score] = {}
    for name in sorted({*ENTITIES.values()}):
        scanner, score = compile_patterns((name,)), Score()
        for row in rows(data, "pii_text"):
            wanted = [(s, e) for s, e, entity in row["spans"] if ENTITIES.get(entity) == name]
            spans = scanner.spans(row["text"])
            hits = sum(covers(spans, start, end) for start, end in wanted)
            score.found += hits
            score.missed += len(wanted) - hits
            for span in spans:
                touched = any(span.start < end and start < span.end for start, end in wanted)
                score.right += touched
                score.wrong += not touched
        if score.found + score.missed:
            scores[name] = score
    return scores


def score_patterns(data: Path) -> dict[str, Score]:
    """`pii_patterns`: what a recogniser must find, and must not."""
    scores: dict[str, Score] = {}
    for row in rows(data, "pii_patterns"):
        entities = ["PHONE_NUMBER"] if row["test"] == "phone" else row["entity"]
        names = {ENTITIES[entity] for entity in entities if entity in ENTITIES}
        for name in names:
            score = scores.setdefault(name, Score())
            spans = compile_patterns((name,)).spans(row["text"])
            if not row["count"]:
                score.wrong += bool(spans)
                continue
            score.right += bool(spans)
            wanted = row["spans"]
            hits = sum(covers(spans, *span) for span in wanted) if wanted else len(spans)
            hits = min(hits, row["count"])
            score.found += hits
            score.missed += row["count"] - hits
    return scores


def score_secrets(data: Path, name: str) -> Score:
    """`secrets`, `secrets_lines`: rows with a label, some with the span of the secret."""
    scanner, score = compile_patterns(("secrets",)), Score()
    for row in rows(data, name):
        if row.get("plugin") == "ip_public":  # no secret
            continue
        found = finds(scanner, row)
        if row["label"]:
            score.found += found
            score.missed += not found
            score.right += found
        else:
            score.wrong += found
    return score


def finds(scanner: Scanner, row: Row) -> bool:
    spans = scanner.spans(row["text"])
    span = row.get("span")
    return covers(spans, *_stripped(row["text"], *span)) if span else bool(spans)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """A generated span may hold spaces around its secret."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def mixed_text(size: int = 32_000, every: int = 1) -> str:
    """Prose, a log, JSON and code of `size` characters; an e-mail and a phone in one of `every`
    paragraphs of 500 characters."""
    piece = (
        "The user asked why order 4711 was late; the carrier had lost it twice in Rotterdam, and\n"
        "nobody called back. Please write to {name}@example.com or ring (415) 555-0{n}.\n"
        "2026-03-02T10:22:01Z INFO worker-{n} finished job 5f2c9a{n} in 1{n} ms, 20 of 340 rows\n"
        '{{"id": {n}, "total": 19.95, "items": [{{"sku": "A-{n}", "qty": 2}}], "ok": true}}\n'
        "def total(items):\n    return sum(item.price * item.quantity for item in items)\n"
        "Nothing else was said about it, so the agent read the policy again and found a rule.\n"
    )
    plain = piece.replace("{name}@example.com", "the address {name}").replace("(415) 555-0", "")
    pieces = (
        (plain if n % every else piece).format(n=100 + n % 900, name=f"user{n}")
        for n in range(size // 450)
    )
    return "".join(pieces)[:size]


def speed(names: tuple[str, ...], text: str, repeat: int = 15) -> float:
    """Seconds to redact `text`, the best of `repeat`."""
    scanner = compile_patterns(names)
    best = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter()
        scanner.redact(text)
        best = min(best, time.perf_counter() - begin)
    return best


def table(data: Path) -> Iterator[Row]:
    for source, scores in (
        ("pii_text", score_texts(data)),
        ("pii_patterns", score_patterns(data)),
        ("secrets", {"secrets": score_secrets(data, "secrets")}),
        ("secrets_lines", {"secrets": score_secrets(data, "secrets_lines")}),
    ):
        for name, score in sorted(scores.items()):
            yield {
                "data": source,
                "entity": name,
                "wanted": score.found + score.missed,
                "recall": round(score.recall, 3),
                "wrong": score.wrong,
                "precision": round(score.precision, 3),
            }


def missed(data: Path) -> Counter[str]:
    """The rules of `secrets` whose rows are missed."""
    scanner = compile_patterns(("secrets",))
    return Counter(
        row["rule"] for row in rows(data, "secrets") if row["label"] and not finds(scanner, row)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CONTEXTWRIGHT_DATA"))
    parser.add_argument("--json", type=Path, help="write the table here")
    options = parser.parse_args()
    result: list[Row] = []
    if options.data:
        result = list(table(options.data))
        for row in result:
            print(
                "{data:14} {entity:14} {wanted:5} {recall:7.1%} {wrong:5} {precision:7.1%}".format(
                    **row
                )
            )
        print("missed:", ", ".join(f"{rule} {n}" for rule, n in missed(options.data).most_common()))
    sparse, dense = mixed_text(every=8), mixed_text()
    for names, text in (
        (("email", "phone", "ssn"), sparse),
        (("email", "phone", "ssn"), dense),
        (("pii",), sparse),
        (("secrets",), sparse),
        (("pii", "secrets"), sparse),
    ):
        seconds = speed(names, text)
        spans = len(compile_patterns(names).spans(text))
        ms, rate = round(seconds * 1e3, 2), round(len(text) / seconds / 1e6, 1)
        result.append({"speed": list(names), "spans": spans, "ms": ms, "mb_per_s": rate})
        print(f"{'+'.join(names):16} {len(text)} characters, {spans} spans: {ms} ms, {rate} MB/s")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
