"""Which arguments of a call name a file, whoever made the tool."""

import json

from contextwright.json_depth import is_shallow
from contextwright.text.json_rows import leaves

PATHS = ("path", "file_path", "filePath", "filename", "file", "absolute_path", "target_file")
"""Names of arguments, as most tools write them."""
_NAMES = frozenset(
    (*(name.replace("_", "").lower() for name in PATHS),
     "notebookpath", "paths", "filepaths", "filenames", "files")
)  # fmt: skip
"""The same and rarer ones, however they are written."""


def names_file(arguments: str) -> bool:
    """Whether a call's arguments name a file, at any depth. Those that can not be read may."""
    if not arguments.strip():
        return False
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return True
    return not is_shallow(value) or any(
        _is_file(name) for name, each in leaves(value) if isinstance(each, str)
    )


def _is_file(name: str) -> bool:
    return name.rpartition(".")[2].replace("_", "").lower() in _NAMES
