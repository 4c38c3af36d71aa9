"""The layers import downwards only; this table is the architecture in executable form."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

OWN = ("gateway_native", "gateway")

BELOW: dict[str, set[str]] = {
    "gateway_native": set(),
    "gateway.errors": {"gateway_native"},
    "gateway.protocol": {"gateway_native", "gateway.errors"},
    "gateway.agent": {"gateway_native", "gateway.errors", "gateway.protocol"},
    "gateway.transformers": {"gateway_native"},
    "gateway.demo": {"gateway.agent", "gateway.errors", "gateway.protocol"},
    "gateway.server": {"gateway", "gateway.agent", "gateway.errors", "gateway.protocol"},
    "gateway.client": {"gateway.agent", "gateway.errors", "gateway.protocol", "gateway_native"},
    "gateway.llm": {"gateway.agent", "gateway.errors", "gateway.protocol", "gateway_native"},
    "gateway.cli": {
        "gateway",
        "gateway.agent",
        "gateway.client",
        "gateway.errors",
        "gateway.llm",
        "gateway.protocol",
        "gateway.server",
        "gateway_native",
    },
    "gateway.__main__": {"gateway.cli"},
}
"""What each layer may import of our own, besides itself."""

CORE_MAY_IMPORT = {"mypy_extensions", "__future__", *sys.stdlib_module_names}
FORBIDDEN_IN_CORE = {"asyncio", "socket", "logging", "time", "random", "threading"}

SOURCES = sorted([*ROOT.glob("gateway/**/*.py"), *ROOT.glob("native/gateway_native/**/*.py")])


def _module(path: Path) -> str:
    base = ROOT / "native" if "native" in path.relative_to(ROOT).parts[0] else ROOT
    parts = path.relative_to(base).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _layer(module: str) -> str:
    if module.startswith("gateway_native"):
        return "gateway_native"
    return ".".join(module.split(".")[:2])


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: _module(path))
def test_module_imports_downwards_only(path: Path) -> None:
    layer = _layer(_module(path))
    if layer == "gateway":
        return
    for imported in _imports(path):
        if imported.split(".")[0] in OWN:
            below = _layer(imported)
            assert below == layer or below in BELOW[layer], f"{layer} imports {imported}"


@pytest.mark.parametrize("path", [p for p in SOURCES if "native" in p.parts], ids=_module)
def test_core_needs_the_standard_library_only_and_does_no_io(path: Path) -> None:
    for imported in _imports(path):
        top = imported.split(".")[0]
        assert top == "gateway_native" or top in CORE_MAY_IMPORT, imported
        assert top not in FORBIDDEN_IN_CORE, imported
