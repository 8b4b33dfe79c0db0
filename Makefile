# `make run` plays, `make test` checks. Each makes the virtual environment .venv from nothing where
# it is missing, and completes it when setup.py changes.

PYTHON ?= python3
SCENARIO ?= wolf_rabbit
ARGS ?=
ROS_SOURCES ?=
# Processes of tests: on two cores three, for those of ROS wait for half of their time.
JOBS ?= 3

# Commands and nodes are started hundreds of times by the tests, and each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
# Most of what is installed is never imported: Python compiles what is.
PIP := $(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check --root-user-action=ignore

.DEFAULT_GOAL := help
# Two targets at once would install into one environment at once.
.NOTPARALLEL:

.PHONY: help
help:
	@echo 'make run     play the wolf and the rabbit; SCENARIO=name and ARGS="--trials 3" change it'
	@echo 'make console play in the browser; SCENARIO and ARGS as above'
	@echo 'make ros     play the same as ROS 2 nodes, a process each; SCENARIO and ARGS as above (Linux, x86-64, g++)'
	@echo 'make check   lint, type check and the tests that the change since main can touch'
	@echo 'make test    lint, type check and all tests but the slow ones; JOBS=2 leaves more of two cores to other work'
	@echo 'make test-all the same and the slow ones'
	@echo 'make test-launch ROS_SOURCES=folder tests the launch files with the real launch, from checkouts in it'
	@echo 'make coverage how much of each room the tests run'
	@echo 'make mutants how many small faults in safety, schedulers and referees the tests catch; NUMBER=160, for hours'
	@echo 'make lint    lint and type check only'
	@echo 'make format  put the code into the format that make test asks for'
	@echo 'make docs    write what of docs/ is made: parameters, pictures of trees in docs and docstrings, quoted results'
	@echo 'make book    play and write the book of results, for hours; ARGS=--quick tries it in minutes'
	@echo 'make clean   remove .venv, caches and build folders'
	@echo 'PYTHON=python3.12 chooses the Python of .venv'

.PHONY: run
run: $(VENV)/ready-to-run
	$(BIN)/arena-trees run $(SCENARIO) $(ARGS)

.PHONY: console
console: $(VENV)/ready-to-run
	$(BIN)/arena-trees console $(SCENARIO) $(ARGS)

.PHONY: ros
ros: $(VENV)/ready-for-ros
	@$(BIN)/python scripts/build_ros_interfaces.py
	$(BIN)/arena-trees run-ros $(SCENARIO) $(ARGS)

# A file's tests stay in one process, for they share what is played once. Code 5 says that ARGS leaves no test.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations 25 --durations-min 1
MYPY := $(BIN)/python -m mypy
ROS_INTERFACES := $(BIN)/python scripts/build_ros_interfaces.py --if-possible

.PHONY: check
check: prepared
	@tests=$$($(BIN)/python scripts/affected_tests.py) && \
	  if [ -n "$$tests" ]; then $(PYTEST) -m fast $$tests $(ARGS) || [ $$? = 5 ]; \
	  else echo 'No test imports what has changed.'; fi

.PHONY: test
test: prepared
	$(PYTEST) -m fast $(ARGS) || [ $$? = 5 ]

# Tests that measure time run after the others, one at a time.
.PHONY: test-all
test-all: prepared
	ARENA_TREES_KILLS=3 $(PYTEST) --hypothesis-profile exploring -m 'fast or slow' $(ARGS) || [ $$? = 5 ]
	$(BIN)/python -m pytest -m alone $(ARGS) || [ $$? = 5 ]

# launch and launch_ros are not on PyPI: scripts/test_launch.py says which checkouts are needed.
.PHONY: test-launch
test-launch: $(VENV)/ready-to-test
	@[ -n '$(ROS_SOURCES)' ] || { echo 'Name the folder with the checkouts: make test-launch ROS_SOURCES=folder' >&2; exit 2; }
	@$(ROS_INTERFACES)
	$(BIN)/python scripts/test_launch.py '$(ROS_SOURCES)' -- $(ARGS)

# Lines and branches that the tests of make test run, of each room and in all.
.PHONY: coverage
coverage: $(VENV)/ready-to-test
	@$(ROS_INTERFACES)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -m fast $(ARGS)
	@$(BIN)/coverage combine --quiet
	@for room in $(patsubst arena_trees/%/__init__.py,%,$(wildcard arena_trees/*/__init__.py)); do \
	  printf '%-14s%s %%\n' $$room $$($(BIN)/coverage report --include="$$room/*,arena_trees/$$room/*" --format=total); done
	@printf '%-14s%s %%\n' all $$($(BIN)/coverage report --format=total)

# Equal commits and seeds give equal mutants. GROUPS="safety schedulers" takes those alone.
NUMBER ?= 160
# A mutant that takes too long is caught: no more at a time than there are cores.
.PHONY: mutants
mutants: JOBS = 2
mutants: $(VENV)/ready-to-test
	$(PIP) cosmic-ray
	$(BIN)/python scripts/mutants.py --number $(NUMBER) --jobs $(JOBS) --out mutants.json $(GROUPS:%=--group %) $(ARGS)

.PHONY: lint
lint: format-check
	$(MYPY)

.PHONY: format-check
format-check: $(VENV)/ready-to-test
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

# Lint, and what tests need: while mypy works on one core, the other builds the interface packages of ROS and, in a new
# checkout, compiles the tests, which otherwise each process of pytest would do.
.PHONY: prepared
prepared: format-check
	@$(MYPY) & mypy=$$!; $(ROS_INTERFACES); built=$$?; \
	  [ -n "$$(find tests -name '*-pytest-*.pyc' -print -quit)" ] || \
	    $(BIN)/python -m pytest --collect-only --quiet >/dev/null 2>&1; \
	  wait $$mypy && exit $$built

.PHONY: format
format: $(VENV)/ready-to-test
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format .

.PHONY: docs
docs: $(VENV)/ready-for-ros
	$(BIN)/python scripts/make_docs.py

.PHONY: book
book: $(VENV)/ready-to-run
	$(BIN)/arena-trees book $(ARGS)

.PHONY: clean
clean:
	rm -rf $(VENV) build dist install log .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

# They are entry points of the installation.
SENSORS := $(wildcard sensors/*/sensor.py)

$(VENV)/ready-to-run: setup.py $(SENSORS) $(VENV)/made
	@echo 'Installing Arena Trees and its arena into $(VENV); the first time this takes a minute or two.'
	@$(PIP) -e '.[arena]'
	@touch $@

$(VENV)/ready-for-ros: setup.py $(SENSORS) $(VENV)/made
	@echo 'Installing Arena Trees, its arena and ROS 2 into $(VENV); the first time this takes a minute or two.'
	@$(PIP) -e '.[arena,ros]'
	@touch $(VENV)/ready-to-run $@

$(VENV)/ready-to-test: setup.py $(SENSORS) $(VENV)/made
	@echo 'Installing Arena Trees, its arena, ROS 2 and its tests into $(VENV); the first time this takes a minute or two.'
	@$(PIP) -e '.[arena,ros,test]'
	@touch $(VENV)/ready-to-run $(VENV)/ready-for-ros $@

# The file says where and with which Python the environment was made: an editable installation knows
# its folder by its full path, so a moved checkout starts afresh, as does another PYTHON.
MADE := $(CURDIR) $(PYTHON)
ifneq ($(shell cat $(VENV)/made 2>/dev/null),$(MADE))
.PHONY: $(VENV)/made
endif

$(VENV)/made:
	@[ ! -L $(VENV) ] || { echo '$(VENV) is a link: what it points to is not made anew from here' >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || \
	  { echo 'There is no $(PYTHON) here: name a Python of 3.11 or newer, as in make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$$($(PYTHON) --version) is too old for the arena (MuJoCo): name 3.11 or newer, as in make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo '$(PYTHON) cannot make virtual environments: on Debian and Ubuntu, sudo apt install python3-venv' >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
	@echo '$(MADE)' > $@
