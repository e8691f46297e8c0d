# make help lists the targets. PYTHON is the Python that makes the virtual environment.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# The build of torch without GPUs, where pip knows one; else pip takes one of gigabytes.
TORCH := torch==2.13.0+cpu

# What a change of the language or of the compiler can break.
QUICK := tests/test_specs.py $(addprefix tests/,core language lexicon design plan compiler)

OUT := out/demo
NPI := grammars/npi/sentential_negation.merula
AGREEMENT := grammars/blm/agreement_fr.merula
INSTANCES ?= 1000
SEED ?= 0

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-quick format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.demo ## make two data sets in out/demo and show what is in them
	@rm -rf $(OUT)
	$(BIN)/merula generate $(NPI) $(AGREEMENT) --out $(OUT) -n $(INSTANCES) --seed $(SEED) --format jsonl
	$(BIN)/merula show $(NPI) --seed $(SEED)
	$(BIN)/merula show $(AGREEMENT) --seed $(SEED)
	$(BIN)/merula count $(NPI)
	$(BIN)/merula count $(AGREEMENT)

test: $(VENV)/.dev ## run the linter, the type checker and the tests
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo > /dev/null || $(BIN)/lint-imports --no-logo
	@$(BIN)/merula fmt --check --quiet grammars
	@$(BIN)/pytest -q -n 2 --dist worksteal

test-quick: $(VENV)/.dev ## run the tests from core to rows, and the specs
	@$(BIN)/pytest -q -n 2 --dist worksteal -m 'not slow' $(QUICK)

format: $(VENV)/.dev ## make the safe fixes of the linter and lay out the code
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet

clean: ## remove everything that make has made
	@rm -rf $(VENV) out build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("Merula needs Python 3.11 or later; name one: make PYTHON=python3.13" if sys.version_info < (3, 11) else 0)'
	@echo "making $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/.made
	@echo "installing merula into $(VENV)"
	@$(PIP) install -qq -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	@echo "installing merula and the tools for its tests into $(VENV)"
	@$(PIP) install -qq '$(TORCH)' 2> /dev/null || true
	@$(PIP) install -qq -e '.[dev]'
	@touch $(VENV)/.demo $@
