"""Source code: its signatures first, then what it imports, then its bodies."""

import re

from contextwright.text.line_selection import Unit

_SIGNATURE = re.compile(
    r"(\s*)(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\(\w+\))?|unsafe|override|virtual|inline|extern|const) )*"
    r"(?:(?:def|class|func|function|fn|interface|struct|enum|trait|impl|type|module|namespace|object"
    r"|record|protocol|extension|CREATE (?:TABLE|VIEW|FUNCTION)) ?\*?\s*[\w(<\"`]"
    r"|(?:const|let|var) \w+ = (?:async )?(?:\([^)]*\)|\w+) =>"
    r"|(?:(?:public|private|protected|static)\s+)+[\w<>\[\], ]+\s\w+\()",
)
_IMPORT = re.compile(
    r"\s*(?:import |from \S+ import |#include|use [\w:]+|require\(|package |using )"
)
_CODE = re.compile(
    r".*[;{}]\s*$|\s*(?:return|if|for|while|else|elif|try|except|raise|@)\b.*"
    r"|\s*\w+(?:\.\w+)* = .+|\s*(?:#|//|/\*|\*) ?.*"
)
_NUMBERED = re.compile(r"\A\s*\d+(?:\t|→|: |\| )")
"""A line's number in front of it, as tools print files."""


def is_code(lines: list[str]) -> bool:
    """Whether there is a signature or an import, and most lines read as code."""
    full = [_NUMBERED.sub("", line, count=1) for line in lines if line.strip()]
    marks = sum(1 for line in full if _SIGNATURE.match(line) or _IMPORT.match(line))
    body = sum(1 for line in full if line[:1].isspace() or _CODE.match(line))
    return marks > 0 and (marks + body) * 10 >= len(full) * 6


def code_units(text: str) -> list[Unit]:
    """A unit a line: signatures from the outside in, imports, what stands right below a
    signature (its docstring or first statement), then bodies from the top."""
    units: list[Unit] = []
    below = False
    for place, line in enumerate(text.splitlines()):
        bare = _NUMBERED.sub("", line, count=1)
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
