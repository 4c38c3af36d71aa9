PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
NATIVE := $(wildcard native/gateway_native/*.py native/gateway_native/*/*.py) native/build.py

.PHONY: build run test soak check format bench bench-instructions wheel clean

build: .venv/built

run: .venv/built
	@$(BIN)/agui-gateway serve --port $(PORT)

test: .venv/built
	GATEWAY_PURE=1 $(BIN)/pytest -q tests
	$(BIN)/pytest -q tests

check: .venv/built
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/built
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

soak: .venv/built
	$(BIN)/pytest -q --soak tests

bench: .venv/built
	$(BIN)/pytest -q bench
	$(BIN)/python -m bench.core.ratios
	$(BIN)/python -m bench.client.relay
	$(BIN)/python -m bench.llm.ratios

bench-instructions: .venv/built
	$(BIN)/python -m bench.core.instructions $(if $(RECORD),record)

wheel: .venv/built
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

.venv/installed: pyproject.toml
	@echo "==> Making the virtual environment .venv (half a minute)"
	@$(PYTHON) -m venv .venv || { echo "error: no venv module; on Debian: apt-get install python3-venv"; exit 1; }
	@$(BIN)/pip install --quiet --upgrade pip
	@echo "==> Installing the gateway and its development tools (a minute)"
	@HATCH_BUILD_NO_HOOKS=1 $(BIN)/pip install --quiet --editable . --group dev
	@touch $@

.venv/built: .venv/installed $(NATIVE)
	@echo "==> Compiling the core with mypyc (half a minute)"
	@$(BIN)/python native/build.py
	@touch $@

clean:
	rm -rf .venv dist native/build native/.mypy_cache
	find native -name '*.so' -delete
