"""What a type of the configuration looks like: its members, and what it allows, in words."""

import types
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import inspect

from gateway.server.secret import Secret


@lru_cache
def members(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The types of the members of a section by name."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


def bare(kind: Any) -> Any:
    """The type without its annotations and without `| None`."""
    if get_origin(kind) is Annotated:
        return bare(get_args(kind)[0])
    arms = [arm for arm in arms_of(kind) if arm is not types.NoneType]
    return arms[0] if len(arms) == 1 and arms[0] is not kind else kind


def arms_of(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the type itself."""
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def is_table(kind: Any) -> bool:
    """Whether it is a table of named entries."""
    return get_origin(bare(kind)) in (dict, Mapping)


def item_of(kind: Any) -> Any:
    """The type of the items of a list, None for what is no list."""
    origin = get_origin(bare(kind))
    return get_args(bare(kind))[0] if origin in (tuple, list, frozenset, set) else None


def sections(kind: Any) -> dict[str, type[msgspec.Struct]]:
    """The sections that may stand in a place, by the value of their tag, empty if none may."""
    found = [arm for arm in arms_of(bare(kind)) if isinstance(arm, type)]
    structs = [arm for arm in found if issubclass(arm, msgspec.Struct)]
    return {str(struct.__struct_config__.tag or ""): struct for struct in structs}


def expectation(kind: Any) -> str:
    """What a type allows, in words: `expected …`."""
    if sections(kind):
        return "a table"
    if bare(kind) is Secret:
        return 'a secret as { env = "NAME" } or { file = "PATH" }'
    return " or ".join(dict.fromkeys(_words(inspect.type_info(kind))))


def _words(info: Any) -> Iterator[str]:
    if isinstance(info, inspect.Metadata):
        yield from _words(info.type)
    elif isinstance(info, inspect.UnionType):
        for arm in info.types:
            yield from _words(arm)
    elif isinstance(info, inspect.LiteralType):
        yield "one of " + ", ".join(map(repr, info.values))
    elif isinstance(info, inspect.IntType | inspect.FloatType):
        yield _number(info)
    elif isinstance(info, inspect.VarTupleType | inspect.ListType | inspect.FrozenSetType):
        yield "a list, each " + " or ".join(_words(info.item_type))
    elif isinstance(info, inspect.CustomType):
        yield "a secret"
    elif not isinstance(info, inspect.NoneType):
        yield _NAMES.get(type(info), "something else")


def _number(info: inspect.IntType | inspect.FloatType) -> str:
    noun = "an integer" if isinstance(info, inspect.IntType) else "a number"
    low = info.ge if info.ge is not None else info.gt
    high = info.le if info.le is not None else info.lt
    if low is not None and high is not None:
        return f"{noun} from {low} to {high}"
    if low is not None:
        return f"{noun} of {low} or more" if info.ge is not None else f"{noun} above {low}"
    return noun


_NAMES: dict[type, str] = {
    inspect.StrType: "a string",
    inspect.BoolType: "true or false",
    inspect.DictType: "a table",
    inspect.StructType: "a table",
}
