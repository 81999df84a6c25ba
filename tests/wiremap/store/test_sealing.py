import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.store import sealing
from wiremap.store.sealing import digest_of, seal, unseal

_documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_documents)
def test_a_document_comes_back(document: object) -> None:
    assert unseal(seal(document)) == document


def test_equal_documents_have_equal_digests_and_others_have_not() -> None:
    assert digest_of(seal({"a": 1})) == digest_of(seal({"a": 1})) != digest_of(seal({"a": 2}))


@given(st.data())
def test_any_damaged_byte_is_noticed(data: st.DataObject) -> None:
    sealed = bytearray(seal({"tests": list(range(50))}))
    line_end = sealed.index(b"\n")  # the only byte that carries nothing

    place = data.draw(st.integers(0, len(sealed) - 1).filter(lambda one: one != line_end))
    sealed[place] ^= data.draw(st.integers(1, 255))

    with pytest.raises(ValueError, match=r"it is damaged|it is no exported map"):
        unseal(bytes(sealed))


@pytest.mark.parametrize("end", [0, 5, 20, 46, 47, 60, -1])
def test_bytes_that_were_cut_off_are_refused(end: int) -> None:
    with pytest.raises(ValueError, match=r"damaged|no exported map"):
        unseal(seal({"tests": list(range(50))})[:end])


def test_more_bytes_than_were_sealed_are_refused() -> None:
    with pytest.raises(ValueError, match="damaged or was cut off"):
        unseal(seal({}) + b"more")


def test_little_that_unpacks_to_very_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "_LARGEST", 1 << 20)

    with pytest.raises(ValueError, match="it holds more than 1 MB"):
        unseal(seal(["x" * (1 << 21)]))


def test_what_is_nested_without_end_is_refused() -> None:
    text = b"[" * 100_000

    with pytest.raises(ValueError, match="nested too deeply"):
        unseal(sealing._HEAD + sealing._digest(text).encode() + b"\n" + zlib.compress(text))


@pytest.mark.parametrize("other", [b"", b"SQLite format 3\0", b"\x80\x04\x95 a pickle", b"wiremap.map/2 abc"])
def test_files_of_another_kind_are_refused(other: bytes) -> None:
    with pytest.raises(ValueError, match="it is no exported map"):
        unseal(other)
