"""An embedder that needs no model: letters in threes, hashed."""

import math
from zlib import crc32

import pytest

SIZE = 64


class Letters:
    """Vectors of length 1 from the three-letter pieces of a text."""

    id = "letters"

    def __init__(self):
        self.asked = 0

    def vectors(self, texts):
        self.asked += len(texts)
        return [self._vector(text.lower()) for text in texts]

    def _vector(self, text):
        vector = [0.0] * SIZE
        for at in range(len(text) - 2):
            vector[crc32(text[at : at + 3].encode()) % SIZE] += 1.0
        norm = math.sqrt(sum(each * each for each in vector))
        return [each / norm for each in vector] if norm else vector


class Broken:
    """An embedder whose server is gone."""

    def vectors(self, texts):
        raise RuntimeError("no route to host")


@pytest.fixture
def letters():
    return Letters()


@pytest.fixture
def broken():
    return Broken()
