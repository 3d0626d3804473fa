# Three commands are all you need: `make demo`, `make quick` while you work, `make test` before you share it. Each sets up
# what it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo quick test coverage check audit audit-online docs messages programs benchmarks clean

demo: $(VENV)/.view ## score the example story, write a report, and say how to try it with your own voice
	rm -rf demo-run
	$(BIN)/aptone score examples/lighthouse/manifest.jsonl -o demo-run
	@echo
	@echo "Now with your own voice, in the browser:"
	@echo "$(BIN)/aptone view --try demo-run"

# Stealing keeps the tests of a file together, so that browsers, servers and tiny models are started once. Tests start
# Python again and again: it compiles our sources once where it may keep what it compiled.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal

quick: $(VENV)/.test ## most of the tests in a minute or so: no torch, no browser, no other programs (tests/quick.py)
	$(PYTEST) --quick -r fE

test: $(VENV)/.dev programs check audit docs ## everything that CI checks
	$(PYTEST) --durations=10

coverage: $(VENV)/.dev programs ## the same tests, and which lines they reach: 95 % at least, in twice the time
	$(PYTEST) --cov --cov-report=term

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks examples docs recipes

# Neither needs a network. What is known about the versions of our dependencies does: see audit-online.
audit: $(VENV)/.dev ## bandit over the sources, and a software bill of materials in build/sbom.json (CycloneDX)
	$(BIN)/bandit -q -r src -c pyproject.toml
	mkdir -p build
	$(BIN)/cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml --mc-type library -o build/sbom.json

audit-online: $(VENV)/.dev ## known vulnerabilities of the versions in constraints.txt, asked of pypi.org
	$(BIN)/pip-audit -r constraints.txt --no-deps --disable-pip

messages: $(VENV)/.dev ## bring the catalogues of all languages in step, and compile them
	$(BIN)/python -m recipes.messages

docs: $(VENV)/.dev
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build

# Programs that tests start: a browser, which looks at pages, and two that speak. Where they cannot be installed, those
# tests are skipped and say why.
programs:
	@{ command -v espeak-ng && command -v flite && \
	   { command -v chromium || command -v chromium-browser || command -v google-chrome; }; } >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium espeak-ng flite >/dev/null; } || \
	  echo "chromium, espeak-ng or flite is missing and cannot be installed: their tests will be skipped"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Aptone needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.view: $(VENV)/bin/python pyproject.toml
	[ -e $(VENV)/.test ] || [ -e $(VENV)/.dev ] || $(BIN)/python -m pip install -q -e ".[view]"
	touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml constraints.txt
	[ -e $(VENV)/.dev ] || $(BIN)/python -m pip install -q -c constraints.txt -e ".[test]"
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build demo-run docs/_build .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
