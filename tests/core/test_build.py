"""The core that runs is the core that was asked for."""

import importlib
import os
import pkgutil

import gateway_native
from gateway_native import kinds


def test_core_is_the_one_asked_for() -> None:
    assert (os.environ.get("GATEWAY_PURE") != "1") == gateway_native.COMPILED
    assert kinds.__file__.endswith(".py") != gateway_native.COMPILED


def test_all_modules_of_the_core_are_of_one_kind() -> None:
    for found in pkgutil.walk_packages(gateway_native.__path__, "gateway_native."):
        if found.name.endswith("__mypyc"):
            continue  # what the extension modules share
        file = importlib.import_module(found.name).__file__
        assert file is not None
        assert found.ispkg or file.endswith(".py") != gateway_native.COMPILED


def test_names_and_kinds_agree() -> None:
    assert len(kinds.NAMES) == kinds.COUNT
    assert all(getattr(kinds, name) == kind for kind, name in enumerate(kinds.NAMES))
