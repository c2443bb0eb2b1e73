#!/bin/sh
# Make a virtual environment with this project in it, editable.
#   install.sh FOLDER PYTHON [DEPENDENCY_GROUP]
set -eu
folder=$1 python=$2 group=${3:-}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or newer is needed; $("$python" --version) was found." >&2
    echo "Name another one: make test PYTHON=python3.12" >&2
    exit 1
}
if command -v uv >/dev/null; then
    [ -x "$folder/bin/python" ] || uv venv --quiet --python "$python" "$folder"
    uv pip install --quiet --python "$folder/bin/python" -e . ${group:+--group "$group"}
else
    [ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
    # --group needs pip 25.1
    "$folder/bin/python" -m pip install --quiet --upgrade 'pip>=25.1'
    "$folder/bin/python" -m pip install --quiet -e . ${group:+--group "$group"}
fi
