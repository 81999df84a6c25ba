#!/bin/sh
# Runs the tests of wiremap (not of the engine) on other versions of Python, each in an environment of its own.
# A version that is not installed is skipped with a word, or is a failure where WIREMAP_ALL_PYTHONS is set.
set -eu

find_python() {
    # A shim of pyenv is found on the path and does not run unless its version is chosen: so each is tried.
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
        if "$candidate" -c 'import sys' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

failed=""
for version in "$@"; do
    python=$(find_python "$version" || true)
    if [ -z "$python" ]; then
        if [ -n "${WIREMAP_ALL_PYTHONS:-}" ]; then
            echo "Python $version is not installed, and all versions are asked for." >&2
            exit 1
        fi
        echo "SKIPPED: Python $version is not installed." >&2
        continue
    fi
    environment=".venv-$version"
    [ -e "$environment/bin/python" ] || "$python" -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
    echo "Python $version"
    "$environment/bin/python" -m pytest tests/wiremap -q -n auto --dist worksteal || failed="$failed $version"
done
[ -z "$failed" ] || { echo "FAILED on Python$failed" >&2; exit 1; }
