# make run     set up and start the app
# make test    set up and run everything: lint, types, tests
# make test-slow   what takes long and rarely breaks
# make promises   breaks each promise in a copy, and looks whether a test fails
# make test-python PYTHON=python3.13   what needs no torch, on another Python
# make wheel    the source archive and the wheel, in dist/
# make lock    requirements and locks anew, from pyproject.toml; UPGRADE=--upgrade: all the newest
# make shipped  what ships of the embedded model anew, from the code; takes five minutes
# make links   the link keys in docs/links.md and the reference in docs/command.md, made of the code
# make site    the gallery, the answers and the reference as static pages, in site/
# make fuzz   20,000 random inputs for each property test; takes hours
# make check    is this machine ready to run the app?
# make container    build the image with Docker or buildah, and try it
# make audit    known weaknesses of what is installed (needs the network)
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: run test core browser-1 pages browser-2 browser-3 types
.PHONY: test-slow slow slow-scales slow-browser slow-image slow-promises
.PHONY: promises test-python wheel lock shipped links site fuzz check container audit style lint screenshots bench clean

run: $(VENV)/run.done
	$(BIN)/streamlit run app.py

# Six parts, three at a time, in an order in which they end together: a test in the browser often
# waits. The types are checked in one process: on a busy machine mypy gives its workers up. A run in
# the browser that stands still ends itself, with its stack (pyproject.toml).
PYTEST := $(BIN)/python -m pytest
PAGES := tests/ui tests/corpus tests/command tests/senses
EVERY_PAGE := tests/browser/test_every_page.py
TO_H := $(filter-out $(EVERY_PAGE),$(wildcard tests/browser/test_[a-h]*.py))
REST := $(filter-out $(EVERY_PAGE) $(TO_H),$(sort $(wildcard tests/browser/test_*.py)))
TOGETHER := @$(MAKE) --no-print-directory --keep-going --jobs 3
AT_ONCE = >$(VENV)/$@.log 2>&1; failed=$$?; cat $(VENV)/$@.log; exit $$failed
test: style
	$(TOGETHER) core browser-1 pages browser-2 browser-3 types

browser-1:
	@$(PYTEST) $(EVERY_PAGE) -m "not slow" $(AT_ONCE)

browser-2:
	@$(PYTEST) $(TO_H) -m "not slow" $(AT_ONCE)

browser-3:
	@$(PYTEST) $(REST) -m "not slow" $(AT_ONCE)

core:
	@$(PYTEST) tests --ignore=tests/browser $(addprefix --ignore=,$(PAGES)) -m "not slow" $(AT_ONCE)

pages:
	@$(PYTEST) $(PAGES) -m "not slow" $(AT_ONCE)

types:
	@$(BIN)/mypy --num-workers 0 $(AT_ONCE)

# Of the promises (scripts/promises.py) each commit breaks another tenth.
test-slow: $(VENV)/test.done
	$(TOGETHER) slow slow-scales slow-browser slow-image slow-promises

slow:
	@$(PYTEST) --ignore=tests/browser --ignore=tests/calibration -m slow $(AT_ONCE)

slow-scales:
	@$(PYTEST) tests/calibration -m slow $(AT_ONCE)

slow-browser:
	@$(PYTEST) tests/browser -m slow $(AT_ONCE)

slow-image:
	@$(BIN)/python -m scripts.container $(AT_ONCE)

slow-promises:
	@$(BIN)/python -m scripts.promises --turn $(AT_ONCE)

# In an environment of its own, with all but torch, whose CPU build is not at hand for every Python:
# the rooms that need none, and every page. Where it is at hand, everything is run by
# `make test PYTHON=python3.13 VENV=.venv/python3.13`.
OTHER = $(VENV)/python$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ROOMS := checkpoints tokens embeddings neighbors positions figures command
ROOMS += test_bert.py test_package.py ui/test_pages.py
test-python: requirements.lock tests/requirements.txt
	test -x $(OTHER)/bin/python || $(PYTHON) -m venv $(OTHER)
	$(OTHER)/$(LOCKED) requirements.lock
	$(OTHER)/$(PIP) -r tests/requirements.txt
	$(OTHER)/bin/python -m pytest -p scripts.without_torch $(addprefix tests/,$(ROOMS)) \
		--ignore-glob='*/test_properties.py' -m "not slow"

wheel: $(VENV)/run.done
	$(BIN)/python -m hatchling build

lock: $(VENV)/test.done
	$(INSTALL) uv==0.13.9
	$(BIN)/python -m scripts.write_lock $(UPGRADE)

# On one thread, where it gives the same files to the last bit.
shipped: $(VENV)/test.done
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m scripts.write_shipped

links: $(VENV)/test.done
	$(BIN)/python -m scripts.write_docs

site: $(VENV)/test.done
	rm -rf site
	$(BIN)/python -m scripts.site $(VENV)/site
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs 2 $(VENV)/site site

fuzz: $(VENV)/test.done
	HYPOTHESIS_PROFILE=fuzz $(PYTEST) $$(grep -rl --include='*.py' 'from tests.fuzz' tests)

check: $(VENV)/run.done
	$(BIN)/python -m bertviz_core.command.check

promises: $(VENV)/test.done
	$(BIN)/python -m scripts.promises

container: $(VENV)/test.done
	$(BIN)/python -m scripts.container

# Strict: a package that could not be looked up fails the audit as one with a known weakness does.
audit: $(VENV)/run.done
	$(INSTALL) pip-audit==2.10.1
	@$(BIN)/python -m pip_audit -r requirements.txt --no-deps --disable-pip --strict || { echo \
		"The audit failed: either a known weakness is listed above, or the source of advisories" \
		"could not be reached and nothing was checked." >&2; exit 1; }

style: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint: style
	$(BIN)/mypy

screenshots: $(VENV)/test.done
	$(BIN)/python -m scripts.screenshots

bench: $(VENV)/bench.done
	@for name in start rerun calls senses memory corpus; do \
		$(BIN)/python -m benchmarks.$$name || missed=1; \
	done; test -z "$$missed"

clean:
	rm -rf $(VENV)

# Python compiles what it imports and keeps it, whatever the environment says: pip would spend 45 s
# on files never read, and without keeping, every process would compile all it imports anew.
export PYTHONDONTWRITEBYTECODE :=

# Every file that a fresh environment takes is one of those whose hashes stand in a lock. The pip
# that came with Python may be old, and takes twice as long: another one comes first. Then torch,
# the CPU build where pip finds one: the largest package is compiled while the others are fetched.
SITE = $(VENV)/lib/python*/site-packages
PIP := bin/python -m pip install --quiet --no-compile
INSTALL := $(VENV)/$(PIP)
LOCKED := $(PIP) --no-deps --require-hashes -r
$(VENV)/run.done: requirements.lock requirements-torch.lock requirements-torch-cpu.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	grep -A2 '^pip==' requirements.lock >$(VENV)/pip.txt
	$(VENV)/$(LOCKED) $(VENV)/pip.txt
	$(VENV)/$(LOCKED) requirements-torch-cpu.lock 2>/dev/null \
		|| $(VENV)/$(LOCKED) requirements-torch.lock
	$(BIN)/python -m compileall -qq $(SITE)/torch &
	$(VENV)/$(LOCKED) requirements.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -qq $(addprefix $(SITE)/,streamlit plotly numpy pandas sklearn scipy) &
	touch $@

$(VENV)/test.done: $(VENV)/run.done tests/requirements.txt
	$(INSTALL) -r tests/requirements.txt
	$(BIN)/python -m compileall -qq $(addprefix $(SITE)/,ray pyarrow) &
	touch $@

$(VENV)/bench.done: $(VENV)/test.done benchmarks/requirements.txt
	$(INSTALL) -r benchmarks/requirements.txt
	touch $@
