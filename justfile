# Each recipe is a plain command; without `just` (pip install rust-just) type what stands there.

set positional-arguments

# everything that a change needs, into the environment in use
setup:
    pip install -e ".[dev]"

# lint, format, types, import contracts
check:
    ruff check .
    ruff format --check .
    mypy
    lint-imports

# the tests; arguments go to pytest
test *words:
    pytest -q "$@"

# the documents as a site, in site/; fails on a link that leads nowhere
docs:
    mkdocs build --strict

# the JSON Schemas of settings and --json, in docs/reference/schemas
schemas:
    python tools/schemas.py

# the pictures of the main tasks, taken by the app itself
pictures:
    python tests/pictures.py

# kills, hostile records, damaged PDFs and odd command lines, with the counts of a release
attack *words:
    python -m tests.attack "$@"

# 200 random one-line changes, and how many of them the tests notice
mutate *words:
    python tools/mutate.py "$@"

# a measure of speed or quality, as `just bench speed`
bench *words:
    litterm bench "$@"
