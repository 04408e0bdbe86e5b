# Two commands matter on a fresh clone: `make demo` and `make test`. Everything they need goes into
# ignored folders of the checkout: .venv, .venvs, target, dist.
#
#   make test-adapters ONLY=langgraph      one framework, client, example or Python alone
#   make python ALL=1                      every Python, version and generation, as `make test-all` has them

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
READY := .venv/.ready
# What a script is asked for.
WANTED = $(if $(ALL),--all) $(ONLY)

# Compiled modules are kept, wherever that is switched off: a process that starts pytest takes 0.2 s with them and 0.75 s
# without, and the tests start many.
unexport PYTHONDONTWRITEBYTECODE
# A wheel that was built elsewhere, for what is tested from it.
export TESTS_WHEEL

TESTED := lint rust docs python clients test-adapters examples mcp agents

.PHONY: help demo test test-all test-unit fmt lint lint-rust lint-python rust docs python clients test-adapters examples mcp agents fuzz generate picture times dev quick wheel wheel-under-test bench clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

demo: dev ## Build, install into .venv and see agent tests pass and fail, one of them on OpenAI's client, offline
	$(BIN)/unitai demo
	@$(UV) pip install --quiet --python $(BIN)/python --group demo
	@printf "\n3. An agent on OpenAI's own client. Its model is scripted: no key, no network, exact tokens and cost.\n\n"
	@$(BIN)/python -m pytest -p no:cacheprovider examples/openai_refund -q
	@$(BIN)/python examples/openai_refund/show.py

test: $(READY) ## What users get, on the newest Python and with current SDKs and frameworks
	@$(BIN)/python scripts/targets.py $(if $(ALL),--all) $(TESTED)

test-all: $(READY) ## The whole matrix: every Python in full, oldest frameworks, older SDKs
	@$(BIN)/python scripts/targets.py --all $(TESTED)

times: $(READY) ## Write the times of the last runs into CONTRIBUTING.md
	$(BIN)/python scripts/targets.py --write

RUFF := $(BIN)/ruff
FORMATTED := python tests benches examples scripts ci docs/conf.py crates/unitai_cli/demo
# What `unitai init` writes goes into projects that have other rules.
TEMPLATES := --line-length 88 crates/unitai_cli/templates

fmt: $(READY) ## Format everything that `make lint` looks at, and repair what can be repaired
	cargo fmt --all
	$(RUFF) check --fix --quiet --exit-zero $(FORMATTED)
	$(RUFF) format --quiet $(FORMATTED)
	$(RUFF) format --quiet $(TEMPLATES)

lint: dev ## Formatting, lints, types, stubs, generated files
	@# Each half leaves a core idle for a time.
	@$(MAKE) --no-print-directory --jobs=2 lint-rust lint-python

lint-rust: $(READY)
	cargo fmt --all --check
	@# With the fuzz targets. Nothing is linked, so that the fuzzer's own library may be missing.
	CUSTOM_LIBFUZZER_PATH=/none/libfuzzer.a cargo clippy --workspace --all-targets --quiet -- -D warnings
	@# Of all crates, as the Rust tests build them: the features of one alone would be another build.
	cargo build --quiet --bins
	target/debug/unitai_dev generate --check

lint-python: $(READY)
	$(RUFF) format --check --quiet $(FORMATTED)
	$(RUFF) check --quiet $(FORMATTED)
	$(RUFF) format --check --quiet $(TEMPLATES)
	$(RUFF) check --quiet --select B,E,F,I,UP,W $(TEMPLATES)
	$(BIN)/shellcheck ci/github_action/entrypoint.sh scripts/fuzz.sh
	$(BIN)/zizmor --offline --quiet --persona pedantic .github ci
	$(BIN)/unitai lint
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest unitai._engine --mypy-config-file pyproject.toml

rust: ## Rust tests
	cargo test --quiet --no-fail-fast

docs: dev ## Build the site into target/site, offline and without a warning, and check every link in it
	@$(UV) venv --quiet --allow-existing .venvs/docs
	@$(UV) pip install --quiet --python .venvs/docs/bin/python --group docs
	@# What the compiled module says of itself is on the site, too.
	PYTHONPATH=python .venvs/docs/bin/python -m sphinx -q -W --keep-going -b html -d target/site-cache docs target/site
	TESTS_SITE=target/site $(BIN)/python -m pytest -q -p no:cacheprovider tests/contract/test_site.py

python: $(READY) ## Test the wheel: all tests on the newest Python that is here, what depends on the interpreter on the oldest
	@$(BIN)/python scripts/node.py > /dev/null
	@$(BIN)/python scripts/chromium.py > /dev/null
	$(BIN)/python scripts/python_suite.py $(WANTED)

clients: $(READY) ## Test model traffic with the real SDKs, from the wheel (ONLY=openai for one)
	$(BIN)/python scripts/clients.py $(WANTED)

test-adapters: $(READY) ## Test the adapters with each framework, from the wheel (ONLY=langgraph for one)
	$(BIN)/python scripts/adapters.py $(WANTED)

examples: $(READY) ## Run every example, with what it is written with, from the wheel, without a key
	@$(BIN)/python scripts/node.py > /dev/null
	$(BIN)/python scripts/examples.py $(ONLY)

mcp: $(READY) ## Drive real MCP servers by YAML tests, mock tools at MCP clients, and run the protocol's conformance suite
	$(BIN)/python scripts/mcp_servers.py
	$(BIN)/python scripts/mcp_clients.py $(if $(ALL),--all)

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
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/unit tests/contract tests/behavioral --ignore tests/contract/clients --ignore tests/contract/mcp -n auto --dist worksteal --hypothesis-profile=quick

test-unit: dev ## The unit tests: pure logic, in seconds
	$(BIN)/python -m pytest -p no:cacheprovider tests/unit --layer unit -q -n 2 --dist worksteal --hypothesis-profile=quick

wheel-under-test: $(READY) ## Build the wheel that the tests are run with, and print its path
	@$(BIN)/python scripts/environments.py

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
