"""Applying and finding a JSON Patch on a state of 25 KB, against the library `jsonpatch`.

Timed: one patch of three operations applied, and the patch found from both states.
"""

import copy
from typing import Any

import jsonpatch
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from gateway.protocol.json_patch import apply_patch, diff, same

STATE: dict[str, Any] = {
    "items": [
        {"id": index, "name": f"item {index}", "done": index % 2 == 0, "score": index * 1.5}
        for index in range(400)
    ],
    "title": "a list",
}
PATCH: list[dict[str, Any]] = [
    {"op": "replace", "path": "/items/200/done", "value": False},
    {"op": "add", "path": "/items/-", "value": {"id": 400}},
    {"op": "replace", "path": "/title", "value": "another list"},
]
CHANGED = apply_patch(STATE, PATCH)


def test_apply_ours(benchmark: BenchmarkFixture) -> None:
    assert same(benchmark(apply_patch, STATE, PATCH), CHANGED)


def test_apply_jsonpatch(benchmark: BenchmarkFixture) -> None:
    assert benchmark(jsonpatch.apply_patch, copy.deepcopy(STATE), PATCH) == CHANGED


def test_diff_ours(benchmark: BenchmarkFixture) -> None:
    assert same(apply_patch(STATE, benchmark(diff, STATE, CHANGED)), CHANGED)


def test_diff_jsonpatch(benchmark: BenchmarkFixture) -> None:
    benchmark(jsonpatch.make_patch, STATE, CHANGED)


def test_the_library_leaves_a_failed_patch_half_applied_in_place() -> None:
    document = {"a": [1]}
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": "/a/0", "value": 0},
        {"op": "remove", "path": "/b"},
    ]
    with pytest.raises(jsonpatch.JsonPatchException):
        jsonpatch.apply_patch(document, patch, in_place=True)
    assert document == {"a": [0, 1]}
