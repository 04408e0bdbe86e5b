# Two commands matter on a fresh clone: `make demo` and `make test`. Everything they need goes into
# ignored folders of the checkout: .venv, .venvs, target, dist.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
READY := .venv/.ready

.PHONY: help demo test test-unit lint rust docs python clients test-adapters examples mcp agents fuzz generate picture dev quick wheel bench clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

demo: dev ## Build, install into .venv and see agent tests pass and fail, one of them on OpenAI's client, offline
	$(BIN)/unitai demo
	@$(UV) pip install --quiet --python $(BIN)/python --group demo
	@printf "\n3. An agent on OpenAI's own client. Its model is scripted: no key, no network, exact tokens and cost.\n\n"
	@$(BIN)/python -m pytest examples/openai_refund -q
	@$(BIN)/python examples/openai_refund/show.py

test: lint rust docs python clients test-adapters examples mcp agents ## Everything that CI does

lint: dev ## Formatting, lints, types, stubs, generated files
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	@# Whether the fuzz targets still fit the crates. Nothing is linked, so the fuzzer's own library may be missing.
	CUSTOM_LIBFUZZER_PATH=/none/libfuzzer.a cargo check --quiet --locked --manifest-path fuzz/Cargo.toml --target-dir target
	cargo dev generate --check
	$(BIN)/ruff format --check --quiet python tests benches examples scripts ci docs/conf.py crates/unitai_cli/demo
	$(BIN)/ruff check --quiet python tests benches examples scripts ci docs/conf.py crates/unitai_cli/demo
	@# What `unitai init` writes goes into projects that have other rules.
	$(BIN)/ruff format --check --quiet --line-length 88 crates/unitai_cli/templates
	$(BIN)/ruff check --quiet --line-length 88 --select B,E,F,I,UP,W crates/unitai_cli/templates
	$(BIN)/shellcheck ci/github_action/entrypoint.sh scripts/fuzz.sh
	$(BIN)/zizmor --offline --quiet --persona pedantic .github ci
	$(BIN)/unitai lint
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest unitai._engine --mypy-config-file pyproject.toml
	$(BIN)/python scripts/snippets.py

rust: ## Rust tests
	cargo test --workspace --exclude unitai_python --quiet

docs: dev ## Build the site into target/site, offline and without a warning, and check every link in it
	@$(UV) venv --quiet --allow-existing .venvs/docs
	@$(UV) pip install --quiet --python .venvs/docs/bin/python --group docs
	@# What the compiled module says of itself is on the site, too.
	PYTHONPATH=python .venvs/docs/bin/python -m sphinx -q -W --keep-going -b html -d target/site-cache docs target/site
	TESTS_SITE=target/site $(BIN)/python -m pytest -q tests/contract/test_site.py

python: $(READY) ## Build the wheel and test it on every Python from 3.10 that is here
	@$(BIN)/python scripts/node.py > /dev/null
	@$(BIN)/python scripts/chromium.py > /dev/null
	$(BIN)/python scripts/matrix.py

clients: $(READY) ## Test model traffic with the real SDKs, from the wheel
	$(BIN)/python scripts/clients.py

test-adapters: $(READY) ## Test the adapters with each framework, current and oldest, from the wheel
	$(BIN)/python scripts/adapters.py

examples: $(READY) ## Run every example, with what it is written with, from the wheel, without a key
	@$(BIN)/python scripts/node.py > /dev/null
	$(BIN)/python scripts/examples.py

mcp: $(READY) ## Drive real MCP servers by YAML tests, from the wheel, and run the protocol's conformance suite
	$(BIN)/python scripts/mcp_servers.py

agents: $(READY) ## Have the real Claude Code, Codex and Gemini CLI judge and drive YAML tests, from the wheel, offline
	$(BIN)/python scripts/agents.py

fuzz: ## Fuzz every parser for five minutes (needs the nightly toolchain and cargo-fuzz)
	scripts/fuzz.sh

generate: ## Make the generated documents and schemas anew
	cargo dev generate

picture: dev ## Draw the picture of the README anew
	$(BIN)/python scripts/picture.py

dev: $(READY) ## Build and install into .venv, for editing: Python changes need nothing more
	$(BIN)/maturin develop --quiet --uv

quick: dev ## The fast loop: build what changed, run the tests that need no other process
	$(BIN)/python -m pytest -q -m "unit or contract or behavioral" --ignore tests/contract/clients --ignore tests/contract/mcp

test-unit: dev ## The unit tests: pure logic, in seconds
	@# Bytecode is kept, wherever that is switched off: compiling the tests takes longer than half of them.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest tests/unit --layer unit -q -n 2 --dist worksteal --hypothesis-profile=quick

wheel: $(READY) ## Build the optimised wheel into dist/
	$(BIN)/maturin build --quiet --release --out dist

bench: $(READY) ## Measure speed and size against peers and floors
	$(BIN)/python benches/run.py

clean: ## Remove everything that make has made
	rm -rf .venv .venvs target dist

$(READY): pyproject.toml
	@# Debian keeps a part of venv in a package of its own; pip can stand in for it.
	$(PYTHON) -m venv .venv || { $(PYTHON) -m venv --without-pip --clear .venv && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv "maturin>=1.9.4,<2"
	$(UV) pip install --quiet --python $(BIN)/python --group dev
	@touch $(READY)
