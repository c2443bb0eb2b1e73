"""Source code: its signatures first, then what it imports, then its bodies."""

import re
from bisect import bisect_right
from itertools import accumulate
from operator import itemgetter

from contextwright.text.cut import Count
from contextwright.text.line_selection import Unit
from contextwright.text.numbered_lines import numbered, without_numbers

_SIGNATURE = re.compile(
    r"(\s*)(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\(\w+\))?|unsafe|override|virtual|inline|extern|const) )*"
    r"(?:(?:def|class|func|function|fn|interface|struct|enum|trait|impl|type|module|namespace|object"
    r"|record|protocol|extension|CREATE (?:TABLE|VIEW|FUNCTION)) ?\*?\s*[\w(<\"`]"
    r"|(?:const|let|var) \w+ = (?:async )?(?:\([^)]*\)|\w+) =>"
    r"|(?:(?:public|private|protected|static)\s+)+[\w<>\[\], ]+\s\w+\()",
)
_DEFINED = re.compile(
    r"\b(?:def|class|func|function|fn|interface|struct|enum|trait|impl|type|module|namespace|object"
    r"|record|protocol|extension)\b(?: ?\([^)]*\))?[ *]+(\w+)"
    r"(?=\s*(?:[(<:{\[=;]|$)|\s+(?:extends|implements|struct|interface|for|where)\b)"
    r"|\b(?:const|let|var) (\w+) = |(\w+)\(",
)
"""The name in a signature."""
_IMPORT = re.compile(
    r"\s*(?:import |from \S+ import |#include|use [\w:]+|require\(|package |using )"
)
_CODE = re.compile(
    r".*[;{}]\s*$|\s*(?:return|if|for|while|else|elif|try|except|raise|@)\b.*"
    r"|\s*\w+(?:\.\w+)* = .+|\s*(?:#|//|/\*|\*) ?.*"
)


def is_code(lines: list[str]) -> bool:
    """Whether there is a signature or an import, and most lines read as code."""
    full = without_numbers([line for line in lines if line.strip()])
    marks = sum(1 for line in full if _SIGNATURE.match(line) or _IMPORT.match(line))
    body = sum(1 for line in full if line[:1].isspace() or _CODE.match(line))
    return marks > 0 and (marks + body) * 10 >= len(full) * 6


def code_units(text: str) -> list[Unit]:
    """A unit a line: signatures from the outside in, imports, what stands right below a
    signature (its docstring or first statement), then bodies from the top."""
    units: list[Unit] = []
    below = False
    lines = text.splitlines()
    for place, (line, bare) in enumerate(zip(lines, without_numbers(lines), strict=True)):
        if match := _SIGNATURE.match(bare):
            indent = len(match[1].expandtabs(4))
            units.append(Unit(line, (0, indent, place)))
            below = True
        elif _IMPORT.match(bare):
            units.append(Unit(line, (2, place)))
            below = False
        else:
            units.append(Unit(line, (1 if below else 3, 0 if below else place)))
            below = below and not line.strip()
    return units


def definitions(text: str, max_tokens: int, count: Count) -> dict[int, str]:
    """The names that code defines, by the numbers of their lines, in so many tokens: those that
    stand in no other first. None where a text shows no numbers of lines."""
    signatures: list[tuple[int, int, str]] = []
    for number, line in numbered(text):
        match = _SIGNATURE.match(line)
        if match and (name := _DEFINED.search(line)):
            signatures.append((len(match[1].expandtabs(4)), number, name[name.lastindex or 0]))
    signatures.sort()
    tokens = accumulate(count(f", {number} {name}") for _, number, name in signatures)
    fitting = signatures[: bisect_right(list(tokens), max_tokens)]
    return {number: name for _, number, name in sorted(fitting, key=itemgetter(1))}
