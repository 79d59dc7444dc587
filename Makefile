# One command each: set up and serve the project's own docs, pass the tests, build the wheel.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000

.PHONY: help setup assets demo test check wheel bench bench-relevance bench-steadiness bench-agreement golden clean

help: ## What can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

setup: $(VENV)/installed web/node_modules/installed .links/made ## Set up Python, Node packages and links

$(VENV)/installed: pyproject.toml requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

web/node_modules/installed: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# Type checkers do not see the editable install's renamed packages; these links show them.
.links/made:
	mkdir -p .links/nearpage
	for folder in builder site_plugin web; do ln -sfn ../../$$folder .links/nearpage/$$folder; done
	touch $@

assets: web/dist/built ## Build the browser's scripts

web/dist/built: web/node_modules/installed web/build.mjs $(shell find web/src -type f)
	cd web && npm run --silent build
	touch $@

demo: setup assets ## Build the project's docs with their index and serve them
	$(BIN)/mkdocs build --strict --quiet
	$(BIN)/nearpage serve site --port $(PORT)

test: setup assets browser check ## All checks and tests
	$(BIN)/python -m pytest
	cd web && npm run --silent test

check: setup ## Formatting, lint and types in both languages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	cd web && npm run --silent check

PYTHON_DOC := /usr/share/doc/python3-doc/html

bench: setup assets browser tests/bench/node_modules/installed ## Compare with Pagefind; SITES="dir ..." QUERIES="file ..."
	$(if $(SITES),,test -d $(PYTHON_DOC) || (apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-doc))
	$(BIN)/python -m tests.bench.run $(SITES) $(if $(QUERIES),--queries $(QUERIES))

bench-relevance: setup assets browser tests/bench/node_modules/installed $(VENV)/bench ## Relevance beside other engines; SITES="dir ..." QUERIES="file ..."
	$(BIN)/python -m tests.bench.relevance.run $(SITES) $(if $(QUERIES),--queries $(QUERIES)) $(if $(MARKDOWN),--markdown)

bench-steadiness: setup ## How steady hits are when queries are written otherwise; SITES="dir ..." QUERIES="file ..."
	$(BIN)/python -m tests.bench.steadiness.run $(SITES) $(if $(QUERIES),--queries $(QUERIES)) --examples 5

bench-agreement: setup assets browser ## The same queries in Chromium and in Python; SITES="dir ..." QUERIES="file ..."
	$(BIN)/python -m tests.bench.agreement $(SITES) $(if $(QUERIES),--queries $(QUERIES))

$(VENV)/bench: $(VENV)/installed tests/bench/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r tests/bench/requirements.txt
	touch $@

tests/bench/node_modules/installed: tests/bench/package.json tests/bench/package-lock.json
	cd tests/bench && npm ci --no-audit --no-fund --loglevel=error
	touch $@

.PHONY: browser
browser:
	test -x /usr/bin/chromium || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)

golden: setup ## The golden index and its answers anew, to be reviewed as a diff
	$(BIN)/python tests/contract/make_golden.py

wheel: setup assets ## The installable wheel, in dist/
	rm -rf build dist
	$(BIN)/python -m build --wheel --outdir dist

clean: ## Remove everything that was made
	rm -rf $(VENV) .links web/node_modules web/dist tests/bench/node_modules build dist site *.egg-info
