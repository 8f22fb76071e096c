# make run     set up and start the app
# make test    set up and run everything: lint, types, tests
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: run test lint screenshots bench clean

run: $(VENV)/run.done
	$(BIN)/streamlit run app.py

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder

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

# A fresh environment takes torch by itself first, so that nothing pulls in another build of it.
$(VENV)/run.done: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "$$(grep '^torch==' requirements.txt)"
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/test.done: $(VENV)/run.done tests/requirements.txt
	$(BIN)/python -m pip install --quiet -r tests/requirements.txt
	touch $@

$(VENV)/bench.done: $(VENV)/test.done benchmarks/requirements.txt
	$(BIN)/python -m pip install --quiet -r benchmarks/requirements.txt
	touch $@
