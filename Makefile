# Requires only python3 (3.11 or later) and make. `make up` starts Docyard, `make test` tests it.

PYTHON ?= python3
BIN := .venv/bin
# Additional pytest options, for example PYTEST="-k name".
PYTEST ?=

.PHONY: help up run-env test-env test test-long check format bench eval docs lock clean

help:
	@echo "make up [DEMO=1] [PORT=n]   set up and start Docyard"
	@echo "make test                   run the checks and tests;  make test-long: the long tests"
	@echo "make check | format         run the linters;  format the code"
	@echo "make bench | eval CORPUS=x  measure speed;  measure quality on a folder of documents"
	@echo "make docs                   write docs/reference and the line numbers of docs/walk.md"
	@echo "make lock | clean           update the pinned packages;  remove generated files"

run-env:
	@$(PYTHON) tools/bootstrap.py run

test-env:
	@$(PYTHON) tools/bootstrap.py test

# exec, so that Ctrl-C and signals of a supervisor reach Docyard directly.
up: run-env
	@DOCYARD_HOME="$${DOCYARD_HOME:-$(CURDIR)/var}"; export DOCYARD_HOME; \
	exec $(BIN)/docyard up $(if $(DEMO),--demo) $(if $(PORT),--port $(PORT))

test: check
	@CHROMIUM_PATH="$$($(BIN)/python tools/chromium.py)" || exit 1; export CHROMIUM_PATH; \
	exec $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m "not long" $(PYTEST)

test-long: test-env
	@CHROMIUM_PATH="$$($(BIN)/python tools/chromium.py)" || exit 1; export CHROMIUM_PATH; \
	$(BIN)/pytest -m long --timeout 1800 $(PYTEST)
	$(BIN)/python tools/postgres15.py

check: test-env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_sizes.py
	$(BIN)/python -m tools.check_words
	$(BIN)/python -m tools.check_names

format: test-env
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: test-env
	$(BIN)/python -m bench.run

eval: test-env
	$(BIN)/python -m eval.run $(if $(CORPUS),"$(CORPUS)")

# Generated pages; a test checks that they are up to date.
docs: test-env
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.walk_doc

lock:
	$(PYTHON) tools/lock.py $(if $(UPGRADE),--upgrade)

# var/ contains users' documents and is never removed here.
clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis src/*.egg-info
