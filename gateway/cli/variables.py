"""Settings from `AGUI_GATEWAY_*` variables.

The variable of a setting is its key in capitals: `server.port` is `AGUI_GATEWAY_SERVER_PORT`. With
`_FILE` behind it, it names a file that holds the value, as container platforms mount secrets. A
table of named entries takes one variable for each entry, or one with all of them as JSON.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from gateway.cli.given import Given, Key, Table, dotted, flat, read_value
from gateway.cli.shape import is_table, members
from gateway.errors import ConfigurationError

PREFIX: Final = "AGUI_GATEWAY_"
FILE: Final = "_FILE"
CONFIG: Final = PREFIX + "CONFIG"
"""Names the configuration file; no setting by itself."""

_SERVICE_LINK: Final = re.compile(r"SERVICE_(HOST|PORT(_.*)?)|PORT(_\d+_.*)?")
"""What Kubernetes sets in the pods beside a service that is called agui-gateway."""


def variable(key: Key) -> str:
    """The name of the variable of a setting."""
    return PREFIX + "_".join(key).upper()


def keys(struct: type[msgspec.Struct], above: Key = ()) -> Iterator[tuple[Key, bool]]:
    """All settings below a section, and whether one is a table of named entries."""
    for name, kind in members(struct).items():
        key = (*above, name)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield from keys(kind, key)
        else:
            yield key, is_table(kind)


def from_variables(struct: type[msgspec.Struct], env: Mapping[str, str]) -> Table:
    """The settings in the environment. Raises ConfigurationError for names that mean nothing."""
    known = {variable(key): (key, table) for key, table in keys(struct)}
    given: Table = {}
    for name in sorted(env):
        if name.startswith(PREFIX) and name != CONFIG:
            given.update(_read(name, env[name], known))
    return given


def _read(name: str, value: str, known: Mapping[str, tuple[Key, bool]]) -> Table:
    if name in known:
        key, table = known[name]
        return _entries(key, name, value) if table else {key: Given(value, name, text=True)}
    if name.endswith(FILE) and (found := known.get(name.removesuffix(FILE))):
        return {found[0]: read_value(found[0], value, name)}
    for prefix, (key, table) in known.items():
        if table and name.startswith(prefix + "_"):
            entry = name[len(prefix) + 1 :].lower()
            return {(*key, entry): Given(value, name, text=True)}
    if _SERVICE_LINK.fullmatch(name.removeprefix(PREFIX)):
        return {}
    raise ConfigurationError("", name, f"is no setting{_hint(name, known)}")


def _entries(key: Key, name: str, value: str) -> Table:
    try:
        entries: dict[str, Any] = msgspec.json.decode(value, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ConfigurationError(dotted(key), name, "expected a JSON object") from error
    return flat(entries, name, key)


def _hint(name: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
