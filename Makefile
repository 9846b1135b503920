# The commands of this project. Everything happens in .venv, from locked dependencies.
PYTHON ?= python3
SAMPLE ?= sample_integrations/counter
BIN := .venv/bin
# More than there are cores: most tests wait for processes, timers and browsers half of their time.
WORKERS ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) * 2 )))
# By file, since the tests of a file share hosts and browsers that take seconds to start.
# What fails runs again, and is named at the end if it passes then: what waits for processes may wait too briefly once
# in a few thousand times, where other programs share the machine. To be looked into all the same.
PYTEST = $(BIN)/pytest -rsR --rerun-show-tracebacks --reruns 2 --reruns-delay 1 -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# What goes over HTTP, once more: tests/databases.py says what is on PostgreSQL then.
SERVED := tests/scenarios tests/contract tests/clients tests/runtime
# CI has half an hour. What takes long and says the same on both runs on PostgreSQL there, where more can go wrong; of the
# rest, what databases differ in (locks, order, what two processes do at the same time) runs on both.
ON_POSTGRESQL_ALONE := $(patsubst %,tests/scenarios/test_%.py,comments git git_kill importing importing_kill \
	importing_large quotas reading_a_site search search_kill)
ON_BOTH := $(patsubst %,tests/scenarios/test_%.py,at_once content delivery deleted_spaces keeping lanes leaving links \
	memberships_at_once merge_kill moves_at_once reading_pages reviews site_structure)
# Of the walk over all operations, what works and how lists page goes to PostgreSQL in CI, and what is refused to SQLite:
# each change needs a world of its own there. It is one file, which would be left to one core at the end.
WALK := tests/contract/test_operations.py
WALK_IN_CI := --dist load $(WALK) -k "works or lists_page or what_is_gone"
REFUSED_IN_CI := $(patsubst %,--deselect $(WALK)::test_%,works lists_page deleting_what_is_gone)
# Projects whose packages come from npm: what tests run against a host, their rules of accessibility, what templates in
# TypeScript ask for, and the sample in TypeScript.
NPM := tests/clients tests/browser/axe tests/templates sample_integrations/diagram-js

# Tests start a thousand processes, and each would compile our sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: dev test test-sqlite test-postgresql coverage venv venv-test npm lint format openapi schema lock bench clean

## dev: run the platform with a sample integration
dev: venv
	$(BIN)/devkit dev $(SAMPLE) $(DEV_OPTIONS)

## test: everything CI runs
test: venv-test npm
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@# At the same time with the names that macOS lacks; what is asked for on Linux alone stands behind a question for the system.
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin & other=$$!; $(BIN)/mypy; own=$$?; wait $$other && exit $$own
	$(BIN)/lint-imports
	$(BIN)/python -m runtime.api.openapi --check openapi.json
	DEVKIT_TEST_SHARE=0.7 $(PYTEST) $(ON_POSTGRESQL_ALONE:%=--ignore=%) $(REFUSED_IN_CI)
	DEVKIT_TEST_SHARE=0.55 DEVKIT_TEST_DATABASE=postgresql $(PYTEST) $(ON_POSTGRESQL_ALONE) $(ON_BOTH)
	DEVKIT_TEST_DATABASE=postgresql $(PYTEST) $(WALK_IN_CI)

## test-postgresql: everything that goes over HTTP, on PostgreSQL
test-postgresql: venv-test npm
	DEVKIT_TEST_DATABASE=postgresql $(PYTEST) $(SERVED)

## test-sqlite: everything, on SQLite
test-sqlite: venv-test npm
	$(PYTEST)

## coverage: the tests, with each line none of them runs, in the processes they start too (takes half as long again)
coverage: venv-test npm
	COVERAGE_PROCESSES=subprocess $(PYTEST) --cov --cov-report=term-missing:skip-covered

## venv: the set-up alone
venv: .venv/.installed

venv-test: .venv/.installed-test

## npm: packages from npm, from locked versions; tests that need them are skipped without npm
npm: $(NPM:%=%/node_modules/.installed)

%/node_modules/.installed: %/package-lock.json
	@if command -v npm >/dev/null; then \
		cd $* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch node_modules/.installed; \
	else echo "npm is missing; the tests of $* are skipped (on Debian: apt-get install nodejs npm)"; fi

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "Python cannot make a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }

.venv/.installed: requirements.lock pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@# As a path, not as a hook of imports: editors and type checkers see the packages.
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings editable_mode=compat -e .
	@touch $@

.venv/.installed-test: requirements-test.lock .venv/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-test.lock
	@touch $@

## format: write the code in the one style
format: venv-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

## openapi: write openapi.json, and the scopes that its operations need
openapi: venv-test
	$(BIN)/python -m runtime.api.openapi --write openapi.json

## schema: write the JSON schema of manifests, for editors, and what all migrations make of an empty SQLite database
schema: venv
	$(BIN)/python -m devkit.manifests.schema
	@# Reflected constraints are ordered by hash, which differs between processes.
	PYTHONHASHSEED=0 $(BIN)/python -m runtime.store.new_database

## lock: choose the versions (needs uv)
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-strip-extras --extra build pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-strip-extras --extra build --extra test -c requirements.lock pyproject.toml -o requirements-test.lock

## bench: compare with the peer and print the table
bench: venv
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv $(NPM:%=%/node_modules) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
