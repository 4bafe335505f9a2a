"""The service that the room's tests share."""

from collections.abc import Iterator

import pytest
from models_chat_server import ChatServer


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running
