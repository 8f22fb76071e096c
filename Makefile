# make run     set up and start the app
# make test    set up and run everything: lint, types, tests
# make test-slow   what takes long and rarely breaks
# make fuzz   20,000 random inputs for each property test; takes hours
# make check    is this machine ready to run the app?
# make audit    known weaknesses of what is installed (needs the network)
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: run test test-slow fuzz check audit lint screenshots bench clean

run: $(VENV)/run.done
	$(BIN)/streamlit run app.py

# Three runs side by side, about equally long: a test in the browser often waits. What the others say
# comes last.
PYTEST := $(BIN)/python -m pytest
PAGES := tests/ui tests/corpus tests/command tests/vector_files tests/senses
test: lint
	@$(PYTEST) tests --ignore=tests/browser $(addprefix --ignore=,$(PAGES)) -m "not slow" \
		>$(VENV)/core.log 2>&1 & core=$$!; \
	$(PYTEST) $(PAGES) -m "not slow" >$(VENV)/pages.log 2>&1 & pages=$$!; \
	trap "kill $$core $$pages" INT TERM; \
	$(PYTEST) tests/browser; in_browser=$$?; \
	wait $$pages; pages=$$?; wait $$core; core=$$?; \
	cat $(VENV)/pages.log $(VENV)/core.log; \
	exit $$((in_browser || pages || core))

test-slow: $(VENV)/test.done
	$(PYTEST) -m slow

fuzz: $(VENV)/test.done
	HYPOTHESIS_PROFILE=fuzz $(PYTEST) $$(grep -rl --include='*.py' 'from tests.fuzz' tests)

check: $(VENV)/run.done
	$(BIN)/python -m bertviz_core.check

# Strict: a package that could not be looked up fails the audit as one with a known weakness does.
audit: $(VENV)/run.done
	$(INSTALL) pip-audit==2.10.1
	@$(BIN)/python -m pip_audit -r requirements.txt --no-deps --disable-pip --strict || { echo \
		"The audit failed: either a known weakness is listed above, or the source of advisories" \
		"could not be reached and nothing was checked." >&2; exit 1; }

lint: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

screenshots: $(VENV)/test.done
	$(BIN)/python -m tests.screenshots

bench: $(VENV)/bench.done
	$(BIN)/python -m benchmarks.all

clean:
	rm -rf $(VENV)

# Python compiles what it imports and keeps it, whatever the environment says: pip would spend 45 s
# on files never read, and without keeping, every process would compile all it imports anew.
export PYTHONDONTWRITEBYTECODE :=

# A fresh environment takes torch by itself first, so that nothing pulls in another build of it.
# The pip that came with Python may be old, and takes twice as long. The largest packages are
# compiled while the next ones are fetched.
SITE = $(VENV)/lib/python*/site-packages
INSTALL := $(BIN)/python -m pip install --quiet --no-compile
$(VENV)/run.done: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) pip==26.3
	$(INSTALL) "$$(grep '^torch==' requirements.txt)"
	$(BIN)/python -m compileall -qq $(SITE)/torch &
	$(INSTALL) -r requirements.txt
	$(INSTALL) --no-deps --editable .
	$(BIN)/python -m compileall -qq $(addprefix $(SITE)/,streamlit plotly numpy pandas sklearn scipy) &
	touch $@

$(VENV)/test.done: $(VENV)/run.done tests/requirements.txt
	$(INSTALL) -r tests/requirements.txt
	$(BIN)/python -m compileall -qq $(addprefix $(SITE)/,ray pyarrow) &
	touch $@

$(VENV)/bench.done: $(VENV)/test.done benchmarks/requirements.txt
	$(INSTALL) -r benchmarks/requirements.txt
	touch $@
