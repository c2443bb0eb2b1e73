"""Sizes in a row, of which the next small one is found without a look at each."""

CHUNK = 64
"""Sizes whose least is remembered."""


class SizeRow:
    """Sizes in a row. It grows at its end, and a size may change."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._least: list[int] = []  # of every CHUNK sizes

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, place: int) -> int:
        return self._sizes[place]

    def __setitem__(self, place: int, size: int) -> None:
        chunk, before = place // CHUNK, self._sizes[place]
        self._sizes[place] = size
        if size <= self._least[chunk]:
            self._least[chunk] = size
        elif before == self._least[chunk]:
            self._refresh(chunk)

    def append(self, size: int) -> None:
        """Add a size at the end."""
        if len(self._sizes) % CHUNK == 0:
            self._least.append(size)
        elif size < self._least[-1]:
            self._least[-1] = size
        self._sizes.append(size)

    def truncate(self, length: int) -> None:
        """Leave out what stands from `length` on."""
        del self._sizes[length:]
        del self._least[-(-length // CHUNK) :]
        if length % CHUNK:
            self._refresh(length // CHUNK)

    def least(self, stop: int) -> int:
        """The least size before `stop`, which is not 0."""
        whole = stop // CHUNK
        return min([*self._least[:whole], *self._sizes[whole * CHUNK : stop]])

    def following(self, start: int, most: int) -> int:
        """The first place from `start` on with a size of at most `most`; -1 where there is none."""
        place, length = start, len(self._sizes)
        while place < length:
            if self._least[place // CHUNK] > most:
                place = (place // CHUNK + 1) * CHUNK
            elif self._sizes[place] <= most:
                return place
            else:
                place += 1
        return -1

    def preceding(self, stop: int, most: int) -> int:
        """The last place before `stop` with a size of at most `most`; -1 where there is none."""
        place = stop - 1
        while place >= 0:
            if self._least[place // CHUNK] > most:
                place = place // CHUNK * CHUNK - 1
            elif self._sizes[place] <= most:
                return place
            else:
                place -= 1
        return -1

    def _refresh(self, chunk: int) -> None:
        start = chunk * CHUNK
        self._least[chunk] = min(self._sizes[start : start + CHUNK])
