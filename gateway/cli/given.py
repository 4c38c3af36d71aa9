"""Settings as they were given, before anybody knows whether they are right.

Four places can give a setting, the later ones prevail: the defaults, a TOML file, environment
variables, the command line. Each place becomes a flat table of dotted keys, so that laying one over
another is one `update`, and each value remembers where it came from for the error it may cause.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from gateway.errors import ConfigurationError

Key: TypeAlias = tuple[str, ...]
"""The path of a setting through the tables, `("server", "port")`."""


class Given(NamedTuple):
    """A value and its place; `text` says that it still is a string of an option or variable."""

    value: Any
    place: str
    text: bool = False


Table: TypeAlias = dict[Key, Given]

Options: TypeAlias = Mapping[Key, tuple[str, str | bool | None]]
"""Settings of the command line with the names of their options; None is one that was not used."""


def dotted(key: Key) -> str:
    """The key as it is written in messages."""
    return ".".join(key)


def flat(value: Any, place: str, key: Key = ()) -> Table:
    """The leaves of nested tables; a table without members leaves nothing."""
    if not isinstance(value, Mapping):
        return {key: Given(value, place)}
    table: Table = {}
    for name, each in value.items():
        table.update(flat(each, place, (*key, name)))
    return table


def from_file(path: Path) -> Table:
    """The settings of a TOML file. Raises ConfigurationError if it cannot be read."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError("", str(path), f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError("", str(path), f"expected TOML: {error}") from error
    return flat(content, str(path))


def from_options(options: Options) -> Table:
    """The settings of the command line."""
    return {
        key: Given(value, name, isinstance(value, str))
        for key, (name, value) in options.items()
        if value is not None
    }


def overlay(table: Table, upper: Table) -> None:
    """Lay `upper` over `table`, where a value replaces a table and a table a value."""
    for key in upper:
        covered = [old for old in table if old != key and _nested(old, key)]
        for old in covered:
            del table[old]
    table.update(upper)


def _nested(one: Key, other: Key) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def fetched(key: Key, reference: Mapping[Key, Given], env: Mapping[str, str]) -> Given:
    """The value that `{ env = "NAME" }` or `{ file = "PATH" }` stands for, without end of line."""
    ((kind,), given), *_ = reference.items()
    if kind == "env":
        if given.value not in env:
            reason = f"the environment variable {given.value!r} is not set"
            raise ConfigurationError(dotted(key), given.place, reason)
        return Given(env[given.value], f"variable {given.value}", text=True)
    return read_value(key, str(given.value), given.place)


def read_value(key: Key, path: str, place: str) -> Given:
    """The content of a file that holds one value. Raises ConfigurationError."""
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            return Given(file.read().rstrip("\r\n"), path, text=True)
    except (OSError, UnicodeDecodeError) as error:
        reason = f"cannot read {path!r}: {getattr(error, 'strerror', None) or 'not UTF-8'}"
        raise ConfigurationError(dotted(key), place, reason) from error
