"""Convert plain data into typed structs within limits. For data that does not fit: what is wrong, and what is right."""

import dataclasses
import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from math import isfinite, isnan
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import yaml

# --- The largest numbers in configs and in options of commands.

LARGEST_WHOLE = 2**63 - 1
"""The largest whole number: compiled code has 64 bits for it."""

MOST_THREADS = 1024
"""The largest number of threads of a computation, and of processes in a config."""


T = TypeVar("T")

Keys = tuple[str | int, ...]
"""The path to a value in a document: mapping keys and list indexes from the top."""

MayBeInfinite = Annotated[float, msgspec.Meta(extra={"infinite": True})]
"""Type of a number that may be infinite; `fit` refuses infinity for every other type."""

Threads = Annotated[int, msgspec.Meta(ge=1, le=MOST_THREADS)]
"""Type of a number of threads, or of processes."""

_LABELS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class Misfit(ValueError):
    """A value does not fit its type. `keys` is the path to the part that is wrong."""

    def __init__(self, message: str, keys: Keys = ()) -> None:
        super().__init__(message)
        self.keys = keys


@contextmanager
def under(*keys: str | int) -> Iterator[None]:
    """Put `keys` before the keys of a `Misfit` from the block. Turn any other `ValueError` into a `Misfit` at `keys`."""
    try:
        yield
    except Misfit as misfit:
        raise Misfit(str(misfit), (*keys, *misfit.keys)) from misfit
    except ValueError as error:
        raise Misfit(str(error), keys) from error


def fit(value: object, expected_type: type[T]) -> T:
    """Convert plain data to a type, strictly; numbers are finite (but `MayBeInfinite`) and of 64 bits. Raises `Misfit`."""
    try:
        if misfit := _misfit(value, expected_type, ()):
            raise misfit
        fitting = msgspec.convert(value, expected_type, strict=True)
    except RecursionError:
        raise Misfit("nested too deeply; does an alias such as *name stand inside what it names?") from None
    if misfit := _unusable_number(value, expected_type):
        raise misfit
    return fitting


def meant(word: object, words: Iterable[str]) -> str:
    """Return ``did you mean 'x'?`` for the closest known word, or an empty text where none is close."""
    known = {each.lower(): each for each in words}
    close = difflib.get_close_matches(str(word).lower(), known, 1)
    return f"did you mean '{known[close[0]]}'?" if close else ""


def _unusable_number(value: Any, expected_type: Any) -> Misfit | None:
    """Return the first NaN, infinity or number beyond 64 bits inside `value`, which msgspec's bounds let through."""
    for keys in _infinite_or_large(value):
        number, inner = value, expected_type
        for key in keys:
            number, inner = number[key], _inner(inner, number, key)
        if isinstance(number, int):
            return Misfit(
                f"{_shown(number)} does not fit; expected one of at most 63 bits, up to {LARGEST_WHOLE}", keys
            )
        infinite = MayBeInfinite in (inner, *get_args(inner))
        if isnan(number) or not infinite:
            expected = "a number, .inf or -.inf" if infinite else "a finite number"
            return Misfit(f"{_shown(number)} does not fit; expected {expected}", keys)
    return None


def _infinite_or_large(value: Any) -> Iterator[Keys]:
    """Yield the paths to the numbers inside `value` that are not finite or beyond 64 bits, whatever their types."""
    if isinstance(value, float) and not isfinite(value) or isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        yield ()
    for key, item in _items(value):
        for keys in _infinite_or_large(item):
            yield key, *keys


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the key (or index) and the value of each part of a mapping or list."""
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()


def _misfit(value: Any, expected_type: Any, keys: Keys) -> Misfit | None:
    """Return what is wrong with the innermost part that does not fit, None if everything fits."""
    try:
        msgspec.convert(value, expected_type, strict=True)
        return None
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `")
    parts = (_misfit(item, _inner(expected_type, value, key), (*keys, key)) for key, item in _items(value))
    if inner_misfit := next((misfit for misfit in parts if misfit), None):
        return inner_misfit
    fields = _fields(expected_type, value)
    if path.startswith("key` in"):
        kinds = next((get_args(option) for option in _options(expected_type) if get_origin(option) is dict), (str,))
        wrong = next(key for key in value if _misfit(key, kinds[0], ()))
        return _unknown(wrong, fields or _choices(kinds[0]), keys)
    if match := re.search(r"unknown field `(.*)`", message):
        return _unknown(match[1], fields, keys)
    if match := re.search(r"missing required field `(.*)`", message):
        takes = _takes(fields[match[1]]) if match[1] in fields else "required"
        return Misfit(f"missing; add '{match[1]}: ...' ({takes})", (*keys, match[1]))
    if not message.startswith(("Expected", "Object", "Invalid", "Array", "Malformed")):
        return Misfit(message, keys)  # the message of a check of the type's own
    return Misfit(_wrong_value(message, value, expected_type), keys)


def _unknown(key: Any, known_keys: Iterable[str], keys: Keys) -> Misfit:
    names = list(known_keys)
    keys_text = f"known keys: {', '.join(names)}" if names else "no keys are known here; remove it"
    return Misfit(" ".join(filter(None, ("unknown key;", meant(key, names), keys_text))), (*keys, key))


def _wrong_value(message: str, value: object, expected_type: Any) -> str:
    choices = _choices(expected_type)
    others = [_takes(option) for option in _options(expected_type) if option in _LABELS or _holds(option)]
    if choices and (message.startswith("Invalid") or not isinstance(value, str) and re.search(r"\bstr\b", message)):
        remedy = meant(value, choices) or _number_hint(value, " ".join(others)).removeprefix("; ")
        return f"{_shown(value)} is none of {', '.join((*choices, *others))}{remedy and f'; {remedy}'}"
    expected = _expected(message)
    if "regex" in expected and (described := _description(expected_type)):
        expected = f"expected {described}"
    return f"{_shown(value)} does not fit; {expected}{_number_hint(value, expected)}"


def _expected(message: str) -> str:
    """Return the first half of msgspec's ``Expected `object`, got `int` `` in this project's words."""
    expected = re.sub(r", got `.*`$", "", message).replace("`", "").removesuffix(" | null")
    expected = in_words(expected).replace(" | ", ", ")
    return expected[:1].lower() + expected[1:]


def in_words(text: str) -> str:
    """Return msgspec's text with the names of types in this project's words: ``a whole number >= 1`` for ``int >= 1``."""
    kinds = {"object": "a mapping", "array": "a list"} | {kind.__name__: label for kind, label in _LABELS.items()}
    return re.sub(r"\b[a-z]+\b", lambda word: kinds.get(word[0], word[0]), text)


def _options(type_: Any) -> list[Any]:
    """Return the types of a union, or the type itself, without their `Annotated` notes."""
    if get_origin(type_) is Annotated:
        return _options(get_args(type_)[0])
    if get_origin(type_) in (Union, UnionType):
        return [option for part in get_args(type_) for option in _options(part)]
    return [type_]


def _is_struct(option: Any) -> bool:
    """Return whether a type is a mapping with fields of its own: a msgspec Struct or a dataclass."""
    return isinstance(option, type) and (issubclass(option, msgspec.Struct) or dataclasses.is_dataclass(option))


def _is_list(option: Any) -> bool:
    return get_origin(option) in (list, tuple)


def _holds(option: Any) -> bool:
    """Return whether values of a type hold other values."""
    return _is_struct(option) or _is_list(option) or get_origin(option) is dict


def _fields(type_: Any, value: object) -> dict[str, Any]:
    """Return the keys of a struct with their types. Of several structs, the value's tag names one, else it is the first."""
    structs = [option for option in _options(type_) if _is_struct(option)]
    if not structs:
        return {}
    tags = {option.__struct_config__.tag: option for option in structs if issubclass(option, msgspec.Struct)}
    struct, fields = structs[0], {}
    if field := getattr(getattr(struct, "__struct_config__", None), "tag_field", None):
        fields[field] = Literal[tuple(tags)]
        tag = value.get(field) if isinstance(value, dict) else None
        struct = tags.get(tag, struct) if isinstance(tag, str) else struct
    return fields | _fields_of(struct)


@cache
def _fields_of(struct: type) -> dict[str, Any]:
    """Return the keys of one struct with their types."""
    if not issubclass(struct, msgspec.Struct):
        return get_type_hints(struct, include_extras=True)
    return {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


def _inner(type_: Any, value: object, key: str | int) -> Any:
    """Return the type that a type requires of its part under a key."""
    if isinstance(value, dict) and key in (fields := _fields(type_, value)):
        return fields[str(key)]
    for option in _options(type_):
        inner = get_args(option)
        if get_origin(option) is dict and isinstance(value, dict):
            return inner[1]
        if _is_list(option) and isinstance(value, list):
            several = get_origin(option) is tuple and inner[-1] is not Ellipsis
            return inner[int(key)] if several and int(key) < len(inner) else inner[0]
    return Any


def _choices(type_: Any) -> list[str]:
    """Return the words (or numbers) that a type allows."""
    return [str(word) for option in _options(type_) if get_origin(option) is Literal for word in get_args(option)]


def _takes(type_: Any) -> str:
    """Return the values that a type allows, in a word or two: its choices, else its kind."""
    if choices := _choices(type_):
        return ", ".join(choices)
    option = _options(type_)[0]
    return _LABELS.get(option) or ("a list" if _is_list(option) else "a mapping" if _holds(option) else "required")


def _description(type_: Any) -> str:
    """Return the ``description`` of a type's `msgspec.Meta`, empty if there is none."""
    notes = get_args(type_)[1:] if get_origin(type_) is Annotated else ()
    return next((note.description for note in notes if isinstance(note, msgspec.Meta) and note.description), "")


def _shown(value: object) -> str:
    """Return a value as an error message shows it: its kind, or its first 60 characters."""
    kinds = {dict: "a mapping", list: "a list", type(None): "nothing"}
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:  # Python refuses to print the longest ones
        return f"a whole number of {value.bit_length()} bits"
    return kinds.get(type(value)) or repr(value)[:60]


def _number_hint(value: object, expected: str) -> str:
    """Return how to write a number that YAML reads as text, such as 1e3."""
    if not isinstance(value, str) or "number" not in expected:
        return ""
    try:
        number = float(value)
    except ValueError:
        return ""
    whole = not re.search("(?<!whole )number", expected)
    if whole and not abs(number) <= LARGEST_WHOLE:
        return f"; write one of at most 63 bits, up to {LARGEST_WHOLE}"
    if not isfinite(number):
        return ""
    return f"; write {yaml.safe_dump(int(number) if whole else number).split()[0]}"
