"""A bar within code in a table: GitHub wants it escaped, and our site would show the backslash.

An extension of Python-Markdown, which `make docs` names to the site's builder.
"""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

_CODE = re.compile(r"(`+)(.+?)\1")
_BEHIND_FENCES = 5


class TablePipes(Preprocessor):
    """Takes the backslash out of code in the rows of tables; a bar in code divides no cells."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines of a page."""
        return [
            _CODE.sub(lambda code: code[0].replace(r"\|", "|"), line)
            if line.lstrip().startswith("|")
            else line
            for line in lines
        ]


class TablePipesExtension(Extension):
    """Puts `TablePipes` behind what reads fences, whose text stays as it is."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 -- Python-Markdown's name
        """Register it."""
        md.preprocessors.register(TablePipes(md), "table_pipes", _BEHIND_FENCES)
