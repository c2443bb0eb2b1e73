"""What is put into somebody's own objects: copies of their types, the rest the very same objects."""

import base64
from collections import namedtuple
from dataclasses import dataclass

import msgspec
import pydantic
import pytest

from contextwright.formats.dump import Dumper, attributes_of
from contextwright.formats.record_copies import put_data


@dataclass(frozen=True)
class Plain:
    text: str
    inner: object = None


class Model(pydantic.BaseModel):
    text: str = pydantic.Field(alias="what_it_says")
    inner: object = None


class Struct(msgspec.Struct, frozen=True):
    text: str
    inner: object = None


Pair = namedtuple("Pair", "text inner")
KINDS = [Plain("a", ["b"]), Model(what_it_says="a", inner=["b"]), Struct("a", ["b"]), Pair("a", ["b"])]  # fmt: skip


def changed(own, change):
    was = Dumper().plain(own, (), "")
    return put_data(own, was, change(was), attributes_of)


@pytest.mark.parametrize("own", KINDS, ids=lambda one: type(one).__name__)
def test_a_record_stays_of_its_type(own):
    key = "what_it_says" if isinstance(own, Model) else "text"
    made = changed(own, lambda data: {**data, key: "new"})
    assert type(made) is type(own) and made.text == "new" and made.inner is own.inner
    assert own.text == "a" and changed(own, dict) is own


def test_what_is_not_in_the_data_stays_and_a_name_may_be_another():
    own = {"a": 1, "hidden": object(), "b": (1, [2])}
    was, now = {"a": 1, "b": [1, [2]]}, {"A": 1, "b": [1, [3]]}
    made = put_data(own, was, now, attributes_of)
    assert made == {"A": 1, "hidden": own["hidden"], "b": (1, [3])}
    assert own["b"] == (1, [2])


def test_bytes_stay_bytes():
    own = {"data": b"old"}
    made = changed(own, lambda _: {"data": base64.b64encode(b"new").decode()})
    assert made == {"data": b"new"}


def test_what_is_of_another_kind_now_is_data():
    own = {"one": [1, 2], "two": Plain("a")}
    now = {"one": "[REDACTED]", "two": {"text": "a", "[REDACTED]": 1}}
    assert changed(own, lambda _: now) == now
