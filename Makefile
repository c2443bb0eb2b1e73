# Every target sets up what it needs by itself: Python 3.11 or newer is enough.
# uv is used where it is installed, else venv and pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/.dev
DEMO := .venv-demo/.ready

.PHONY: demo test check bench fix clean

demo: $(DEMO)
	.venv-demo/bin/ctx demo

test: check
	$(BIN)/pytest -q -n 2 tests

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@if command -v node >/dev/null; then $(BIN)/pyright --pythonpath $(BIN)/python; \
	else echo "pyright skipped: it needs Node.js"; fi

bench: $(DEV)
	sh scripts/install.sh $(VENV) $(PYTHON) bench
	$(BIN)/python -m benchmarks

fix: $(DEV)
	$(BIN)/python scripts/words_stub.py
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(DEV): pyproject.toml scripts/install.sh
	sh scripts/install.sh $(VENV) $(PYTHON) dev
	touch $@

$(DEMO): pyproject.toml scripts/install.sh
	sh scripts/install.sh .venv-demo $(PYTHON)
	touch $@

clean:
	rm -rf .venv .venv-demo
