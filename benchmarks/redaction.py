"""Recall, precision and speed of the built-in redaction patterns on labelled data.

    python benchmarks/redaction.py [--data DIR] [--json FILE] [--page]

`DIR` (or $CONTEXTWRIGHT_DATA) holds `security/NAME.jsonl.gz`. Recall: labelled spans that are
wholly covered. Precision: of all rows where something was found, those labelled so; for texts,
found spans that touch a labelled one. False marks: of the rows that are labelled as none, those in
which something was found. `--page` writes docs/reference/redaction.md.
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
    """Seconds of the processor to redact `text`, the best of `repeat`."""
    scanner = compile_patterns(names)
    best = float("inf")
    for _ in range(repeat):
        begin = time.process_time()
        scanner.redact(text)
        best = min(best, time.process_time() - begin)
    return best


SECRETS = ("secrets", "secrets_lines")


def negatives(data: Path, name: str) -> list[Row]:
    """The rows that are labelled as none, without those about addresses, which are no secrets."""
    asked = (row for row in rows(data, name) if row.get("plugin") != "ip_public")
    return [row for row in asked if not row["label"]]


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
                "none": (none := len(negatives(data, source)) if source in SECRETS else 0),
                "false_marks": round(score.wrong / max(1, none), 3),
            }


def missed(data: Path) -> Counter[str]:
    """The rules of `secrets` whose rows are missed."""
    scanner = compile_patterns(("secrets",))
    return Counter(
        row["rule"] for row in rows(data, "secrets") if row["label"] and not finds(scanner, row)
    )


NAMES = {
    "pii_text": "texts",
    "pii_patterns": "patterns",
    "secrets": "secrets of gitleaks' rules",
    "secrets_lines": "lines of detect-secrets",
}
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "redaction.md"
HEAD = """# Redaction, measured

Written by `python benchmarks/redaction.py --data DIR --page` on labelled rows of presidio-research,
presidio's recogniser tests, gitleaks and detect-secrets. Recall: labelled spans wholly covered. Precision:
of what was found, what is labelled so. False marks: of the rows that are labelled as none, those in which
something was found.

| data | entity | labelled | recall | precision | false marks |
| --- | --- | ---: | ---: | ---: | ---: |
"""
TAIL = """
What the labels call none and is redacted here: keys of documentation (`AKIAIOSFODNN7EXAMPLE`), and what is
assigned to a secret's name, whatever its length. Tokens that begin as GitLab's, SendGrid's or an OpenAI project's
are taken only in the form that the issuer gives them, or before the mark of a cut (`…`, `...`, `[…`), for a text
that was shortened has such; of other issuers any length is. A web token's head has to be JSON. Tokens of
Artifactory are told by their first three signs, even those filled with `x`. The rules were written with these
lines in sight; other lines of the same suite were not. Keys that Google's samples publish are left. Bare
nine-digit numbers are taken for a social security number only near a word that says so. Host names without an address or a URL are no pattern.

## What is looked at

JSON and program escapes, percent and HTML encoding, base64, look-alikes and invisible characters are decoded first, up to
three within one another; of base64 that holds something, all goes. Text in hexadecimal is not decoded. JSON
stays JSON, wherever in a text it stands, and redacting twice is redacting once. A value that stands
across two text parts of a message is found; one across two messages is not.

What a model thought is looked at as well, and stays reasoning without what is hit; beside OpenAI's summary its seal stays. A
signature holds for what was said: what is signed is a text from then on, or left out in a framework's own messages.

Passwords and keys are known by a form that only they have, or by what stands before them: assignments in
any language, `the password is ...`, `mysql -p...`, `sshpass -p`, XML, `name` and `value` in JSON and YAML,
headers, cookies, URLs. An unquoted value that a dictionary's letters could make is left: `password: required`,
`see-below`; three words with hyphens are a passphrase. A long random part of the URL of a hook, or of a vendor
whose keys have no prefix, is a key.
Of `a=x&b=y` the value of `a` ends at `&b=`.

Passwords, keys, tokens and PINs are known by their names in some thirty languages (`contraseña`, `mot de passe`, `пароль`,
`密码`, `パスワード`, `비밀번호`, `كلمة المرور`, ...), with the signs, quotes and words that part them from a value there (`：`,
`是`, `は`, `는`, `« »`, `「 」`), as are phones and dates of birth. A value ends where letters of a script begin in which nobody
writes a password, so that `密码是Xk9$mPq2vL请勿外传` keeps what is behind it; how many of something there are (`8位`, `8-16
characters`) is no value. Behind a name alone, without a sign or a word for "is", stands a value only if it has three of small
letters, capitals, digits and other signs. In CSV, text parted by tabs and Markdown a column whose head is such a name has its
values redacted. `national_id`, in `pii`, are numbers of persons and firms with check digits: Brazilian CPF and CNPJ and Chinese
resident ids by their form, Korean ones by their dates, and by a name beside them Aadhaar, PAN, BSN, codice fiscale, DNI, NIE,
INN, SNILS, NIR, My Number, personnummer, PESEL, Steuer-ID and T.C. kimlik
([ADR 188](../adr/0188-a-secret-is-known-by-its-name-in-any-language.md)).

Ids of events stand in refs and receipts as they are, names of artifacts in receipts: keep personal data out of them. Ids of calls and of
the session, and names of tools, are replaced by the same other one wherever they stand.

## What stands there instead

| `operator=` | stands for `4111111111111111` | takes |
| --- | --- | --- |
| `"replace"` | `[REDACTED]` | |
| `"mask"` | `****1111`; `****` for what has no usual last four signs | |
| `"hash"` | `[credit_card#5f0c...]`, the same for the same value and key | `vault=` |
| `"pseudonymize"` | `[credit_card_5f0c...]`, which `vault.restore(answer)` turns back | `vault=` |

`Vault(key=...)` is the application's: no request, receipt, session or log has its values. Names and places are
found by a detector: `C.redact(entities=["PERSON"])` with `detector=`, Presidio's `AnalyzerEngine` or any
callable that gives `(start, end, entity)`. A detector that fails, or a missing one, ends the compile with
`RedactionError` or `SpecError`: what was not searched is not sent (ADR 0025). `compile`, `Engine`, `record`,
and of google-adk `ContextPlugin`, `before_model`, `with_context` and `build` take `vault=` and `detector=`; the
error for a missing one names the call. `replay` takes `ports=RedactionPorts(...)`.

## What is kept

Nothing that is kept or asked beside the request has what a spec redacts either: questions to models and
embedders, their answers in memory or in `SQLiteAnswers`, notes, captures and records in the state, artifacts of
`C.offload` with their names, logs, errors. What was in the state before stays there, and the log of the session
keeps what was said as it was said: `Engine.expand` redacts what it gives back, `Lethe` erases.

## Speed

Built-in patterns run on the standard library's `re` everywhere, so that the same text is redacted the same way
on every machine; each place is tried once, so that time grows with the text. What no check would take is passed over
in the search itself, and what was refused is not judged again where the same stands around it
([ADR 105](../adr/0105-what-no-check-would-take-is-not-tried.md)): a million characters of `1 `, `sk-`, `password=`, `token_`, `key=`, `1-`, of
one address, one card, one mailbox or one UUID over and over take under a second. Where each number is another one
(random digits in groups, as of cards), what is found uncovers more, and up to ten rounds are made: one to two seconds.
Expressions of your own run on RE2 or are refused. 32,000 characters of prose, logs, JSON and code, the best of 15:

| patterns | milliseconds |
| --- | ---: |
"""


def page(result: list[Row]) -> str:
    """The reference page."""
    lines = [HEAD]
    for row in result:
        if "data" in row:
            marks = f"{row['false_marks']:.3f}" if row["none"] else ""
            lines.append(
                f"| {NAMES[row['data']]} | {row['entity'].replace('_', ' ')} | {row['wanted']} "
                f"| {row['recall']:.1%} | {row['precision']:.1%} | {marks} |\n"
            )
    lines.append(TAIL)
    for row in result:
        if "speed" in row:
            found = f", {row['spans']} found" if row["spans"] else ""
            lines.append(f"| {' + '.join(row['speed'])}{found} | {row['ms']} |\n")
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CONTEXTWRIGHT_DATA"))
    parser.add_argument("--page", action="store_true", help="write the reference page")
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
    if options.page:
        PAGE.write_text(page(result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
