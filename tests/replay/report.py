"""Runs one file of rows through its rule and counts the verdicts."""

import importlib
import json
import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict

Rule = Callable[[Row], Verdict]
WAIVERS = Path(__file__).parent / "waivers.toml"


@dataclass
class Report:
    """Counts of one file; `failures` are (row name, first difference)."""

    name: str
    passed: int = 0
    not_applicable: int = 0
    waived: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    built: bool = True

    def __str__(self) -> str:
        if not self.built:
            return f"{self.name}: not built yet"
        line = f"{self.name}: {self.passed} passed, {len(self.failures)} failed"
        extra = [f"{self.not_applicable} n/a"] if self.not_applicable else []
        extra += [f"{self.waived} waived"] if self.waived else []
        return f"{line} ({', '.join(extra)})" if extra else line


def waivers(name: str) -> dict[str, str]:
    """Rows of a file that the project answers differently on purpose: row name to reason."""
    table: dict[str, dict[str, str]] = tomllib.loads(WAIVERS.read_text())
    return table.get(name, {})


def rule(name: str) -> Rule | None:
    """The rule for a file of that name, None while it is not built."""
    try:
        module = importlib.import_module(f"tests.replay.rules.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"tests.replay.rules.{name}":
            return None
        raise
    check: Rule = module.check
    return check


def replay(name: str, rows: Iterable[Row]) -> Report:
    """Judge each row by the rule of its file; an exception is a failure like any other."""
    check = rule(name)
    report = Report(name, built=check is not None)
    if check is None:
        return report
    waived = waivers(name)
    for row in rows:
        try:
            verdict = check(row)
        except Exception:
            verdict = traceback.format_exc(limit=-3).strip().replace("\n", " | ")
        if verdict is None:
            report.passed += 1
        elif verdict == NOT_APPLICABLE:
            report.not_applicable += 1
        elif row["name"] in waived:
            report.waived += 1
        else:
            report.failures.append((row["name"], verdict))
    return report


def lines(path: Path) -> Iterator[Row]:
    """The rows of a `.jsonl` file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def documents(folder: Path) -> Iterator[Row]:
    """The documents of a folder, one row a file; `NAME.expected.json` becomes its `expected`."""
    for path in sorted(folder.glob("*.json")):
        if path.stem.endswith(".expected"):
            continue
        row = {"name": path.stem, **json.loads(path.read_text(encoding="utf-8"))}
        expected = path.with_suffix(".expected.json")
        if expected.exists():
            row["expected"] = json.loads(expected.read_text(encoding="utf-8"))
        yield row


def vectors(folder: Path) -> Iterator[Report]:
    """Reports for all `.jsonl` files of a folder, by name."""
    for path in sorted(folder.glob("*.jsonl")):
        yield replay(path.stem, lines(path))
