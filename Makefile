# Every target sets up what it needs: Python 3.11+ and make are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
TOOLS  := $(VENV)/.tools

# Hundreds of processes are started: none compiles what another has compiled, or waits for threads.
QUICKLY := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1

.DEFAULT_GOAL := test
.PHONY: demo test suite test-tools test-lowest lint types types-own blocks docs docs-look wheels sbom pasted lock \
	peers \
	bench coverage fuzz faults mutants options clean

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Consilience needs Python 3.11 or newer. Hint: make PYTHON=python3.12"; exit 1; }
	@echo "Setting up $(VENV) (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(TOOLS): $(READY)
	@echo "Adding what the tests need (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . --group test --group lint
	@touch $@

demo: $(READY)  ## measure a bundled example and write its report
	@$(BIN)/python -m consilience.cli demo --output report.html --force

test: $(TOOLS)  ## lint, types and the whole suite, side by side; each must pass
	@$(MAKE) --no-print-directory -j 2 lint suite

suite: $(TOOLS)
	$(QUICKLY) $(BIN)/python -m pytest -n 2 --dist worksteal  # a worker for each core, and none waits

test-tools: $(TOOLS)  ## a browser, Java, ... for the tests that are skipped without them
	$(BIN)/python tests/tools.py

lint: $(TOOLS)  ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

types-own: $(TOOLS)
	$(BIN)/mypy

blocks: $(TOOLS)  ## run the pages' console and Python blocks, write anew what they print
	$(QUICKLY) $(BIN)/python docs/_blocks.py

DOCS   := $(VENV)/.docs
$(DOCS): $(READY)
	@echo "Adding what the site needs (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . --group docs
	@touch $@

docs: $(DOCS)  ## the site, offline, into docs/_build/html; a warning or a dead link is an error
	$(BIN)/python docs/_site/build.py

docs-look: $(TOOLS)  ## open pages of the built site in a browser: light, dark, phone, axe-core
	$(BIN)/python docs/_site/look.py

RELEASE := $(VENV)/.release
$(RELEASE): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . --group release --group lint
	@touch $@

wheels: $(RELEASE)  ## build wheel and sdist twice, compare the bytes, check and install them
	$(BIN)/python tests/wheels.py --into dist

sbom: $(RELEASE)  ## what the wheel brings along, as CycloneDX
	$(BIN)/python tests/wheels.py --into dist --sbom

OTHERS ?=
pasted: $(RELEASE)  ## the tutorials in a shell, with the wheel; OTHERS="python3.13": with these as well
	$(BIN)/python tests/pasted.py --python $(OTHERS)

types: $(RELEASE)  ## mypy and pyright on a program that uses the installed package
	$(BIN)/python tests/typed_use.py

lock: $(READY)  ## write requirements-dev.lock: the versions that the suite was last run with
	$(BIN)/python tests/lock.py > requirements-dev.lock.new && mv requirements-dev.lock.new requirements-dev.lock

peers: $(TOOLS)  ## run other programs once more and record what they say: tests/references/peers
	$(BIN)/python tests/peers.py --record

bench: $(TOOLS)  ## side by side with the peers, in an environment of their own
	$(BIN)/python -m benchmarks

coverage: $(TOOLS)  ## how often intervals hold the truth; some hours, and a stopped run goes on
	$(BIN)/python -m benchmarks.coverage

SECONDS ?= 600
fuzz: $(TOOLS)  ## break files and draw tables for SECONDS each; count what is read rightly
	$(BIN)/python tests/fuzzing.py --seconds $(SECONDS)
	cd tests && for habit in ordinary other found; do for route in file frame; do \
		../$(BIN)/python -m tables --habit $$habit --route $$route --n 100000 \
			--seconds $$(($(SECONDS) / 6)) --follow --show misread --show crashed || exit 1; \
	done; done

RUNS ?= 2000
faults: $(TOOLS)  ## kill, interrupt, fill the disk, ...: RUNS runs of commands that write; goes on
	$(BIN)/python tests/faults.py --runs $(RUNS) --count faults.json

options: $(TOOLS)  ## every option of every command in every way it can go: is one ignored?
	$(QUICKLY) PYTHONPATH=tests $(BIN)/python tests/contract/test_every_option.py $(MODES)

NUMBER ?= 520
mutants: $(TOOLS)  ## change the program in NUMBER places: does a test notice? A stopped run goes on
	PYTHONPATH=src:tests:. $(BIN)/python tests/mutants.py --number $(NUMBER) --count mutants.json

LOWEST := .venv-lowest
$(LOWEST)/.ready: pyproject.toml tests/lowest.py
	@test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	@$(PYTHON) tests/lowest.py > $(LOWEST)/lowest.txt
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -r $(LOWEST)/lowest.txt
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

test-lowest: $(LOWEST)/.ready  ## the suite with the lowest versions that pyproject.toml declares
	$(QUICKLY) $(LOWEST)/bin/python -m pytest -n 2 --dist worksteal \
		-W ignore::DeprecationWarning -W ignore::ResourceWarning  # old libraries warn of themselves

clean:  ## remove the virtual environments and caches
	rm -rf $(VENV) $(LOWEST) .venv-peers docs/_build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
