#!/usr/bin/env bash
# Builds the Python client, installs its wheel into a clean environment, and tests it there: style, types, and every method
# against a running service. Needs Python 3.10 or later with venv, and PyPI for what .cache/python does not have yet.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
say() { printf '[ci-python] %s\n' "$*"; }

source=src/client-python
tools=.cache/python/tools/bin
clean=.cache/python/clean
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 RUFF_NO_CACHE=true

say "building the wheel"
timeout 600 npm run -s build:python
say "style"
"$tools/ruff" check --config $source/pyproject.toml $source test/python
"$tools/ruff" format --check --config $source/pyproject.toml $source test/python
say "installing the wheel"
python3 -m venv --clear $clean
timeout 600 $clean/bin/pip install -q --require-hashes -r $source/requirements/test.txt
$clean/bin/pip install -q --no-deps --no-index dist/python/*.whl
$clean/bin/pip check
say "testing"
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
timeout 900 $clean/bin/python -m pytest -c $source/pyproject.toml --rootdir test/python test/python "$@" | tee "$summary"
count() { grep -oP "\d+(?= $1)" "$summary" | tail -n 1 || echo 0; }
[ -z "${TEST_COUNTS:-}" ] || echo "$(count passed) passed, $(count failed) failed" >>"$TEST_COUNTS"
