"""Replays conformance material through the project's public functions.

`python -m tests.replay --vectors DIR --streams DIR --cassettes DIR` prints a line for each file,
`name: N passed, M failed`, then the failing rows with their first difference; pytest runs the same
rules over the copies in `tests/data/`. A file's rule is the module of the same name in `rules/`.
"""
