"""From settings as they were given to the frozen structs that the gateway works with.

The walk is by the types of the members, so it knows sections it has never heard of. A member that
is a table of named entries takes any names; a section with a tag takes the kind that `kind` names,
the first one if it names none.
"""

import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast, get_args

import msgspec

from gateway.cli.given import Given, Key, Table, dotted, fetched, flat
from gateway.cli.shape import bare, expectation, is_table, item_of, members, sections
from gateway.errors import ConfigurationError
from gateway.server.secret import Secret

S = TypeVar("S", bound=msgspec.Struct)

REFERENCES = ({("env",)}, {("file",)})
SHOWN = 60
"""Characters of a wrong value that a message repeats."""


def build(struct: type[S], table: Table, env: Mapping[str, str] = os.environ) -> S:
    """The struct that the settings describe. Raises ConfigurationError for the first wrong one."""
    return cast(S, _Builder(env).section({"": struct}, table, ()))


class _Builder:
    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def section(self, kinds: Mapping[str, type[msgspec.Struct]], table: Table, key: Key) -> Any:
        struct, tag_field = self._kind(kinds, table, key)
        types = members(struct)
        values: dict[str, Any] = {}
        for name, group in _grouped(table, key).items():
            if name == tag_field:
                continue
            if name not in types:
                raise _unknown((*key, name), group, types)
            values[name] = self._value(types[name], group, (*key, name))
        return self._made(struct, values, table, key)

    def _kind(
        self, kinds: Mapping[str, type[msgspec.Struct]], table: Table, key: Key
    ) -> tuple[type[msgspec.Struct], str | None]:
        first = next(iter(kinds.values()))
        tag_field = first.__struct_config__.tag_field
        given = table.get((tag_field,)) if tag_field else None
        if given is None:
            return first, tag_field
        if given.value not in kinds:
            allowed = f"expected one of {', '.join(kinds)}"
            raise _wrong((*key, str(tag_field)), given, allowed, secret=False)
        return kinds[given.value], tag_field

    def _value(self, kind: Any, table: Table, key: Key) -> Any:
        if kinds := sections(kind):
            return self.section(kinds, table, key)
        if is_table(kind) and () not in table:
            entry = get_args(bare(kind))[1]
            groups = _grouped(table, key)
            return {name: self._value(entry, group, (*key, name)) for name, group in groups.items()}
        if sections(item_of(kind)) and () in table:
            return self._items(item_of(kind), table[()], key)
        return self._leaf(kind, table, key)

    def _items(self, kind: Any, given: Given, key: Key) -> Any:
        """A list of tables, which one place gives as a whole, a variable as JSON."""
        items = _split(given.value) if given.text else given.value
        if not isinstance(items, list):
            raise _wrong(key, given, "expected a list of tables", secret=False)
        numbered = [(item, (*key, str(index))) for index, item in enumerate(items)]
        return tuple(self._value(kind, flat(item, given.place), at) for item, at in numbered)

    def _leaf(self, kind: Any, table: Table, key: Key) -> Any:
        secret = bare(kind) is Secret
        if set(table) in REFERENCES:
            given = fetched(key, table, self._env)
        elif () in table:
            given = table[()]
            if secret and not given.text:
                raise _wrong(key, given, f"expected {expectation(kind)}", secret=True)
        else:
            raise ConfigurationError(dotted(key), _place(table), f"expected {expectation(kind)}")
        value = _split(given.value) if given.text and item_of(kind) else given.value
        try:
            return msgspec.convert(value, kind, strict=not given.text, dec_hook=_custom)
        except msgspec.ValidationError:
            raise _wrong(key, given, f"expected {expectation(kind)}", secret=secret) from None

    def _made(
        self, struct: type[msgspec.Struct], values: dict[str, Any], table: Table, key: Key
    ) -> Any:
        for field in msgspec.structs.fields(struct):
            if field.required and field.encode_name not in values:
                reason = f"is missing; expected {expectation(field.type)}"
                raise ConfigurationError(dotted((*key, field.encode_name)), _place(table), reason)
        try:
            return struct(**values)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(dotted(key), _place(table), str(error)) from error


def _grouped(table: Table, key: Key) -> dict[str, Table]:
    groups: dict[str, Table] = {}
    for path, given in table.items():
        if not path:
            raise _wrong(key, given, "expected a table", secret=False)
        groups.setdefault(path[0], {})[path[1:]] = given
    return groups


def _custom(kind: type, value: Any) -> Any:
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    raise ValueError(f"cannot make a {kind.__name__}")


def _split(text: str) -> Any:
    if text.lstrip().startswith("["):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return text
    return [part.strip() for part in text.split(",") if part.strip()]


def _place(table: Table) -> str:
    return ", ".join(dict.fromkeys(given.place for given in table.values()))


def _unknown(key: Key, table: Table, known: Iterable[str]) -> ConfigurationError:
    names = list(known)
    close = difflib.get_close_matches(key[-1], names, 1)
    hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(names)}"
    return ConfigurationError(dotted(key), _place(table), f"is no setting; {hint}")


def _wrong(key: Key, given: Given, allowed: str, *, secret: bool) -> ConfigurationError:
    found = "" if secret else f", not {repr(given.value)[:SHOWN]}"
    return ConfigurationError(dotted(key), given.place, allowed + found)
