"""Plain data into typed structs, and what is wrong with data that does not fit: where, and what would be right."""

import dataclasses
import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import isfinite, isnan
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import yaml

from limpet.configs.limits import LARGEST_WHOLE, MOST_THREADS

T = TypeVar("T")

Keys = tuple[str | int, ...]
"""A place in a document: mapping keys and list indexes from the top."""

MayBeInfinite = Annotated[float, msgspec.Meta(extra={"infinite": True})]
"""A number for which plus and minus infinity have a meaning; `fit` refuses them for every other number."""

Threads = Annotated[int, msgspec.Meta(ge=1, le=MOST_THREADS)]
"""A number of threads, or of processes."""

_PLACE = re.compile(r"(.*) - at (`key` in )?`\$(.*)`", re.DOTALL)
_LABELS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class Misfit(ValueError):
    """A value that is not of its type. `keys`: the part of it that is wrong."""

    def __init__(self, message: str, keys: Keys = ()) -> None:
        super().__init__(message)
        self.keys = keys


@contextmanager
def under(*keys: str | int) -> Iterator[None]:
    """What does not fit in the block is a `Misfit` under these keys; any other `ValueError` becomes one."""
    try:
        yield
    except Misfit as misfit:
        raise Misfit(str(misfit), (*keys, *misfit.keys)) from misfit
    except ValueError as error:
        raise Misfit(str(error), keys) from error


def fit(value: object, wanted: type[T]) -> T:
    """Plain data (dicts, lists, strings, numbers) as `wanted`, strictly. Raises `Misfit`.

    Every number must be finite (`MayBeInfinite` apart) and every whole number must fit into 64 bits.
    """
    try:
        fitting = msgspec.convert(value, wanted, strict=True)
    except msgspec.ValidationError as error:
        raise _misfit(str(error), value, wanted) from None
    except RecursionError:
        raise Misfit("nested too deeply; does an alias such as *name stand inside what it names?") from None
    if misfit := _unusable_number(value, wanted, ()):
        raise misfit
    return fitting


def meant(word: object, known: Iterable[str]) -> str:
    """``did you mean 'x'?``, or nothing where no word that there is comes near."""
    close = difflib.get_close_matches(str(word), list(known), 1)
    return f"did you mean '{close[0]}'?" if close else ""


def _unusable_number(value: Any, wanted: Any, keys: Keys) -> Misfit | None:
    """The first NaN, infinity or number beyond 64 bits inside `value`: msgspec's bounds let NaN and infinity through."""
    if isinstance(value, dict):
        items: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    elif isinstance(value, float) and not isfinite(value):
        infinite = any("infinite" in note for note in _extras(wanted))
        if infinite and not isnan(value):
            return None
        expected = "a number, .inf or -.inf" if infinite else "a finite number"
        return Misfit(f"{_shown(value)} does not fit; expected {expected}", keys)
    elif isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return Misfit(f"{_shown(value)} does not fit; expected one of at most 63 bits, up to {LARGEST_WHOLE}", keys)
    else:
        return None
    found = (_unusable_number(item, _inner(wanted, value, key), (*keys, key)) for key, item in items)
    return next((misfit for misfit in found if misfit), None)


def _extras(wanted: Any) -> list[dict[str, Any]]:
    """What `msgspec.Meta(extra=...)` says of a type, or of the types of a union."""
    if get_origin(wanted) is Annotated:
        inner, *notes = get_args(wanted)
        extras = [note.extra for note in notes if isinstance(note, msgspec.Meta) and note.extra]
        return extras + _extras(inner)
    if get_origin(wanted) in (Union, UnionType):
        return [extra for part in get_args(wanted) for extra in _extras(part)]
    return []


def _misfit(text: str, value: Any, wanted: Any) -> Misfit:
    found = _PLACE.fullmatch(text)
    message, of_a_key, place = found.groups() if found else (text, None, "")
    keys: Keys = ()
    for name, index in re.findall(r"\.([^.\[\]]+)|\[([^\]]*)\]", place):
        if index == "...":  # msgspec does not say under which key
            return _first_misfit(value, wanted, keys) or Misfit(
                f"a value in it does not fit; {_expected(message)}", keys
            )
        key = int(index) if index else name
        inner = _inner(wanted, value, key)
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return Misfit(message, keys)
        keys, wanted = (*keys, key), inner
    if of_a_key:
        return _wrong_key(value, wanted, keys) or Misfit(f"a key in it does not fit; {_expected(message)}", keys)
    fields = _fields(wanted, value)
    if found := re.search(r"unknown field `(.*)`", message):
        return _unknown(found[1], fields, keys)
    if found := re.search(r"missing required field `(.*)`", message):
        takes = _takes(fields[found[1]]) if found[1] in fields else "required"
        return Misfit(f"missing; add '{found[1]}: ...' ({takes})", (*keys, found[1]))
    if not message.startswith(("Expected", "Object", "Invalid", "Array", "Malformed")):
        return Misfit(message, keys)  # a type's own rule, in its own words
    return Misfit(_wrong_value(message, value, wanted), keys)


def _first_misfit(value: Any, wanted: Any, keys: Keys) -> Misfit | None:
    """Of the values of a mapping whose keys are not those of a struct."""
    for key, item in value.items() if isinstance(value, dict) else ():
        try:
            fit(item, _inner(wanted, value, key))
        except Misfit as misfit:
            return Misfit(str(misfit), (*keys, key, *misfit.keys))
    return None


def _wrong_key(value: Any, wanted: Any, keys: Keys) -> Misfit | None:
    fields = _fields(wanted, value)
    kinds = next((get_args(option) for option in _options(wanted) if _is_mapping(option)), (str,))
    for key in value:
        try:
            fit(key, kinds[0])
        except Misfit:
            return _unknown(key, fields or _choices(kinds[0]), keys)
    return None


def _unknown(key: Any, known: Iterable[str], keys: Keys) -> Misfit:
    names = list(known)
    told = f"known keys: {', '.join(names)}" if names else "no keys are known here; remove it"
    return Misfit(" ".join(filter(None, ("unknown key;", meant(key, names), told))), (*keys, key))


def _wrong_value(message: str, value: object, wanted: Any) -> str:
    choices = _choices(wanted)
    others = [_takes(option) for option in _options(wanted) if option in _LABELS or _holds(option)]
    if choices and (message.startswith("Invalid") or not isinstance(value, str) and re.search(r"\bstr\b", message)):
        remedy = meant(value, choices) or _number_hint(value, " ".join(others)).removeprefix("; ")
        return f"{_shown(value)} is none of {', '.join((*choices, *others))}{remedy and f'; {remedy}'}"
    expected = _expected(message)
    if "regex" in expected and (described := _description(wanted)):
        expected = f"expected {described}"
    return f"{_shown(value)} does not fit; {expected}{_number_hint(value, expected)}"


def _expected(message: str) -> str:
    """The first half of msgspec's ``Expected `object`, got `int` ``."""
    expected = re.sub(r", got `.*`$", "", message).replace("`", "").removesuffix(" | null")
    expected = expected.replace("object", "a mapping").replace("array", "a list")
    return expected[:1].lower() + expected[1:]


def _options(wanted: Any) -> list[Any]:
    """The types of a union, or the type itself, without what `Annotated` says of them."""
    if get_origin(wanted) is Annotated:
        return _options(get_args(wanted)[0])
    if get_origin(wanted) in (Union, UnionType):
        return [option for part in get_args(wanted) for option in _options(part)]
    return [wanted]


def _is_struct(option: Any) -> bool:
    return isinstance(option, type) and (issubclass(option, msgspec.Struct) or dataclasses.is_dataclass(option))


def _is_mapping(option: Any) -> bool:
    return get_origin(option) is dict


def _is_list(option: Any) -> bool:
    return get_origin(option) in (list, tuple)


def _holds(option: Any) -> bool:
    return _is_struct(option) or _is_mapping(option) or _is_list(option)


def _fields(wanted: Any, value: object) -> dict[str, Any]:
    """The keys of a struct with their types. Of several structs it is the one that the value's tag names, or the first."""
    structs = [option for option in _options(wanted) if _is_struct(option)]
    if not structs:
        return {}
    tags = {option.__struct_config__.tag: option for option in structs if issubclass(option, msgspec.Struct)}
    struct, known = structs[0], {}
    if field := getattr(getattr(struct, "__struct_config__", None), "tag_field", None):
        known[field] = Literal[tuple(tags)]
        tag = value.get(field) if isinstance(value, dict) else None
        struct = tags.get(tag, struct) if isinstance(tag, str) else struct
    if not issubclass(struct, msgspec.Struct):
        return get_type_hints(struct, include_extras=True)
    return known | {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


def _inner(wanted: Any, value: object, key: str | int) -> Any:
    """The type of what lies under a key of a value that should be `wanted`."""
    if isinstance(value, dict) and key in (fields := _fields(wanted, value)):
        return fields[str(key)]
    for option in _options(wanted):
        inner = get_args(option)
        if _is_mapping(option) and isinstance(value, dict):
            return inner[1]
        if _is_list(option) and isinstance(value, list):
            several = get_origin(option) is tuple and inner[-1] is not Ellipsis
            return inner[int(key)] if several and int(key) < len(inner) else inner[0]
    return Any


def _choices(wanted: Any) -> list[str]:
    """The words (or numbers) of which one is wanted."""
    return [str(word) for option in _options(wanted) if get_origin(option) is Literal for word in get_args(option)]


def _takes(wanted: Any) -> str:
    """What a key takes, in a word or two."""
    if choices := _choices(wanted):
        return ", ".join(choices)
    option = _options(wanted)[0]
    return _LABELS.get(option) or ("a list" if _is_list(option) else "a mapping" if _holds(option) else "required")


def _description(wanted: Any) -> str:
    """What the ``description`` of a type's `msgspec.Meta` says, if there is one."""
    notes = get_args(wanted)[1:] if get_origin(wanted) is Annotated else ()
    return next((note.description for note in notes if isinstance(note, msgspec.Meta) and note.description), "")


def _shown(value: object) -> str:
    kinds = {dict: "a mapping", list: "a list", type(None): "nothing"}
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:  # Python refuses to print the longest ones
        return f"a whole number of {value.bit_length()} bits"
    return kinds.get(type(value)) or repr(value)[:60]


def _number_hint(value: object, wanted: str) -> str:
    """YAML reads 1e3 as a string; say how to write it."""
    if not isinstance(value, str) or not re.search("float|int|number", wanted):
        return ""
    try:
        number = float(value)
    except ValueError:
        return ""
    whole = not re.search("float|(?<!whole )number", wanted)
    return f"; write {yaml.safe_dump(int(number) if whole else number).split()[0]}"
