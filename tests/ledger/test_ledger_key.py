"""The key of a call."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.io import canonical_json
from chronotope.ledger import call_key, messages_key

values = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.floats(-1, 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
messages = st.lists(st.dictionaries(st.text(max_size=4), values, max_size=3), max_size=3)


def test_of_messages_it_is_the_hash_of_the_canonical_json() -> None:
    text = '{"decoding":{"temperature":0.0},"messages":[{"role":"user","text":"左?"}],"model":"m","repeat":0}'
    key = messages_key(canonical_json([{"text": "左?", "role": "user"}]), "m", {"temperature": 0.0})
    assert key == hashlib.sha256(text.encode()).hexdigest()


@given(messages, st.dictionaries(st.text(max_size=3), values, max_size=3))
def test_order_of_fields_does_not_matter(sent: list[dict[str, object]], decoding: dict[str, object]) -> None:
    turned = [dict(reversed(message.items())) for message in sent]
    one = messages_key(canonical_json(sent), "m", decoding)
    assert one == messages_key(canonical_json(turned), "m", dict(reversed(decoding.items())))
    whole = {"repeat": 0, "model": "m", "decoding": decoding, "messages": sent}
    assert one == hashlib.sha256(canonical_json(whole).encode()).hexdigest()


def test_everything_in_messages_counts() -> None:
    one = {"role": "user", "text": "a"}
    two = {"role": "user", "picture": {"file": "00"}}
    both = canonical_json([one, two])
    keys = [
        messages_key(both, "m", {"temperature": 0.0}),
        messages_key(canonical_json([two, one]), "m", {"temperature": 0.0}),
        messages_key(canonical_json([one]), "m", {"temperature": 0.0}),
        messages_key(both, "n", {"temperature": 0.0}),
        messages_key(both, "m", {"temperature": 0.5}),
        messages_key(both, "m", {"temperature": 0.0}, repeat=1),
    ]
    assert len(set(keys)) == len(keys)


def test_nan_has_no_key() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        messages_key("[]", "m", {"temperature": float("nan")})


def test_it_is_the_hash_of_prompt_model_and_decoding() -> None:
    text = '{"decoding":{"temperature":0.0},"model":"m","prompt":"ab","repeat":0}'
    assert call_key("ab", "m", {"temperature": 0.0}) == hashlib.sha256(text.encode()).hexdigest()


def test_everything_in_it_counts() -> None:
    keys = [
        call_key("ab", "m", {"temperature": 0.0}),
        call_key("ba", "m", {"temperature": 0.0}),
        call_key("ab", "n", {"temperature": 0.0}),
        call_key("ab", "m", {"temperature": 0.5}),
        call_key("ab", "m", {"temperature": 0.0}, repeat=1),
        messages_key('"ab"', "m", {"temperature": 0.0}),
    ]
    assert len(set(keys)) == len(keys)
