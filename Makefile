# Every target sets up what it needs by itself: Python 3.11 or newer is enough.
# uv is used where it is installed, else venv and pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/.dev
DEMO := .venv-demo/.ready
DOCS := .venv-docs/.ready
# what does not install beside the group `test`: a dependency group and an environment each
FRAMEWORKS := frameworks frameworks-two
READY := $(FRAMEWORKS:%=.venv-%/.ready)
BENCH := .venv-bench/.ready
# what CI plays; `test-all` plays the slow ones as well, and draws ten times as many examples
TESTS := -m "not slow"
# a worker takes up to 1.3 GB
WORKERS := -n auto --maxprocesses 4

.PHONY: demo test test-all test-frameworks adapters lowest check windows bench docs dist fix clean

demo: $(DEMO)
	.venv-demo/bin/ctx demo

test: check
	$(BIN)/pytest -q $(WORKERS) $(TESTS) tests

test-all: TESTS :=
test-all: windows
test-all: export HYPOTHESIS_PROFILE := thorough
test-all: test test-frameworks

test-frameworks: $(READY)
	for group in $(FRAMEWORKS); do bin=.venv-$$group/bin; \
	$$bin/pytest -q $(WORKERS) $(TESTS) $$($$bin/python scripts/frameworks.py tests $$group) && \
	if command -v node >/dev/null; then $$bin/pyright --pythonpath $$bin/python \
	-p $$($$bin/python scripts/frameworks.py types $$group); fi || exit 1; done

adapters: $(DEV) $(READY)
	$(BIN)/python scripts/adapter_table.py $$($(BIN)/python scripts/frameworks.py drivers test)
	for group in $(FRAMEWORKS); do bin=.venv-$$group/bin; $$bin/python scripts/adapter_table.py \
	$$($$bin/python scripts/frameworks.py drivers $$group) || exit 1; done

# some minutes: EXTRAS="openai adk" tries these alone
lowest: $(DEV)
	$(BIN)/python scripts/lowest.py $(EXTRAS)

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLW1514 src scripts # a file's encoding is not the machine's
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@if command -v node >/dev/null; then $(BIN)/pyright --pythonpath $(BIN)/python; \
	else echo "pyright skipped: it needs Node.js"; fi

# the types as they are on Windows, and on the newest Python
windows: $(DEV)
	$(BIN)/pyright --pythonpath $(BIN)/python --pythonplatform Windows --pythonversion 3.14

bench: $(BENCH)
	.venv-bench/bin/python -m benchmarks

docs: $(DOCS)
	rm -rf site
	PYTHONPATH=scripts .venv-docs/bin/zensical build --strict
	cp docs/llms.txt site/llms.txt
	.venv-docs/bin/python scripts/check_site.py site
	@echo "site/index.html opens in a browser; for its search, which browsers refuse to files, serve it:"
	@echo "  $(PYTHON) -m http.server --directory site"

dist: $(DEV)
	rm -rf dist
	sh scripts/install.sh $(VENV) $(PYTHON) dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/python scripts/check_wheel.py dist

fix: $(DEV)
	$(BIN)/python scripts/words_stub.py
	$(BIN)/python scripts/llms_txt.py
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(DEV): pyproject.toml scripts/install.sh
	sh scripts/install.sh $(VENV) $(PYTHON) dev
	touch $@

$(DEMO): pyproject.toml scripts/install.sh
	sh scripts/install.sh .venv-demo $(PYTHON)
	touch $@

$(READY) $(BENCH): .venv-%/.ready: pyproject.toml scripts/install.sh
	sh scripts/install.sh .venv-$* $(PYTHON) $*
	touch $@

$(DOCS): pyproject.toml scripts/install.sh
	sh scripts/install.sh .venv-docs $(PYTHON) docs
	touch $@

clean:
	rm -rf .venv .venv-bench .venv-demo .venv-docs .venv-lowest $(FRAMEWORKS:%=.venv-%) site dist
