"""BM25 over rows of words that come and go: the one place where words are weighed.

Many rows are looked at in two steps. First all at once, roughly: a word's rows are the bits of an
integer, and `bit_slices` adds up what the words of a query are worth to each row and multiplies
it by what its length leaves of that. Then the best of them are scored, to the last digit as all
rows together would be.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nlargest

from contextwright.retrieval.bit_slices import added, largest, product, put_weight, rows_of
from contextwright.retrieval.postings import (
    MOST,
    TIMES,
    Pool,
    Posting,
    code_of,
    mean_size,
    size_class,
)

K1 = 1.2
B = 0.75
"""How soon more of a word stops counting, and how much length does (Robertson 1994)."""
MANY = 2_000
COMMON = 8
"""Among so many rows, a word that an eighth of them have adds to what rarer words found and finds
nothing by itself: its rows would be most of the work and none of the best."""
FINE = 31
"""The weight of a query's heaviest word where rows are looked at roughly."""
STEPS = 15
"""Steps in which the length of a row counts there."""
REPEATED = (1.0, 0.45, 0.32, 0.2)
"""What a row has of a word's weight there if it has the word; twice; 4 times; 8 times."""
POOL = 48
"""Rows that are scored to the last digit, at least."""
FEW = 10
"""So many rows for each of them are not looked at roughly: all are scored."""
REMEMBERED = 50_000
"""Words read from elsewhere that are held."""
COVERED = 4
"""Power of the share of a query's own words that a row has, by which its stop words count. Of six
words of one of 10,000 texts the text is among the ten best in 89 % without stop words, in 98 % with
them; tools for a request (.914) and evidence for questions stay what they are with this power, and
fall with less: tools to .891 where stop words count alike everywhere."""
SAME = 1 - 2e-6
"""Scores are told apart to millionths of the best: what is nearer is level."""


class Shares(dict[int, float]):
    """What a word adds to the score of a row, by how often the row has it and how long it is."""

    def __init__(self, weight: float, idf: float, base: float, slope: float) -> None:
        super().__init__()
        self.weight, self.share = weight, weight * (K1 + 1) * idf
        self._base, self._slope = base, slope

    def __missing__(self, code: int) -> float:
        times, size = code >> TIMES, code & MOST
        score = self[code] = self.share * times / (times + self._base + self._slope * size)
        return score


Wanted = tuple[Posting, Shares]
"""A word that is looked for: its rows, and what it adds to their scores."""


class BM25:
    """Words of rows.

    Args:
        read: the rows that have a word and how often, in the order of the rows, where they are
            kept elsewhere: asked for once a word, when it is first looked for.
    """

    def __init__(self, read: Callable[[str], Iterable[tuple[int, int]]] | None = None) -> None:
        self.sizes: dict[int, int] = {}
        self._total = 0
        self._postings: dict[str, Posting] = {}
        self._classes: dict[int, Posting] = {}
        self._factors: list[int] = []
        self._read = read

    def add(self, row: int, terms: Iterable[str], size: int) -> None:
        """Puts a row in.

        Args:
            terms: its words, a word as often as it stands there.
            size: how long it is, in the words that count for that.
        """
        self.place(row, size)
        postings, once = self._postings, code_of(1, size)
        for term, count in Counter(terms).items():
            posting = postings.get(term)
            if posting is None:
                if self._read is not None:
                    continue  # read, with this row, when it is looked for
                posting = postings[term] = Posting()
            posting.put(row, once if count == 1 else code_of(count, size))

    def extend(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Puts many rows in, each as long as it has words: a word is looked up once for all."""
        postings = self._postings
        once: dict[int, int] = {}
        places = defaultdict[str, list[int]](list)  # word -> its rows, each as often as it has it
        for row, terms in rows:
            self.place(row, size := len(terms))
            once[row] = code_of(1, size)
            for term in terms:
                places[term].append(row)
        for term, every in places.items() if self._read is None else ():
            if len(set(every)) == len(every):
                codes = [once[row] for row in every]
            else:
                counts = Counter(every)
                times = counts.values()
                if max(times) > MOST:
                    times = [min(count, MOST) for count in times]
                pairs = zip(counts, times, strict=True)
                codes = [once[row] + (count - 1 << TIMES) for row, count in pairs]
                every = list(counts)
            posting = postings.get(term)
            if posting is None:
                posting = postings[term] = Posting()
            posting.extend(every, codes)

    def place(self, row: int, size: int) -> None:
        """Puts a row in whose words are kept elsewhere."""
        self.sizes[row] = size
        self._total += size
        self._factors = []
        self._classes.setdefault(size_class(size), Posting()).put(row, code_of(1, size))

    def remove(self, row: int, terms: Iterable[str]) -> None:
        """Takes a row out."""
        size = self.sizes.pop(row)
        self._total -= size
        self._factors = []
        self._classes[size_class(size)].remove(row)
        for term in set(terms):
            posting = self._postings.get(term)
            if posting is not None:
                posting.remove(row)
                if not posting.rows and self._read is None:
                    del self._postings[term]

    def forget_words(self) -> None:
        """Lets go of the words that were read."""
        self._postings = {}

    def rarity(self, term: str) -> float:
        """How much a word tells: 0 for one that all rows have."""
        return math.log(len(self.sizes) / (len(self._posting(term).rows) or 1))

    def scores(self, weights: Mapping[str, float]) -> dict[int, float]:
        """The score of every row that has any of the words.

        Args:
            weights: the words that are looked for, each with its weight.
        """
        scores: dict[int, float] = {}
        there = len(self.sizes)
        for posting, shares in self._wanted(weights):
            rows, codes = posting.rows, posting.codes
            if scores and there >= MANY and len(rows) * COMMON > there:
                for row, code in zip(rows, codes, strict=True):
                    if row in scores:
                        scores[row] += shares[code]
            elif scores:
                known = scores.get
                for row, code in zip(rows, codes, strict=True):
                    scores[row] = known(row, 0.0) + shares[code]
            else:
                scores.update(zip(rows, map(shares.__getitem__, codes), strict=True))
        return scores

    def best(
        self, weights: Mapping[str, float], k: int, phrase: Collection[str] = ()
    ) -> dict[int, float]:
        """The scores of the best rows: `k` of them and what is level with the last.

        Args:
            weights: the words that are looked for, each with its weight; 1 for the query's own.
            phrase: the query's stop words. They find nothing, and add to the score of a row the
                more of the query's own words it has: in who types a phrase of a text they tell
                which text, in a question nothing.
        """
        words, stops = self._wanted(weights), self._wanted(dict.fromkeys(phrase, 1.0))
        count = max(POOL, 2 * k)
        is_rough = sum(len(posting.rows) for posting, _ in words) > FEW * count
        if is_rough:
            rows = rows_of(self._promising(words, stops, count))
        else:
            rows = sorted({row for posting, _ in words for row in posting.rows})
        sizes = self.sizes
        pool = Pool(rows, [code_of(1, sizes[row]) for row in rows], is_rough=is_rough)
        scores, covered = [0.0] * len(rows), [0.0] * len(rows)
        whole = 0.0
        for posting, shares in words:
            cover = shares.share if shares.weight >= 1 else 0.0
            whole += cover
            for place, code in posting.codes_of(pool):
                scores[place] += shares[code]
                covered[place] += cover
        for posting, shares in stops if whole else ():
            for place, code in posting.codes_of(pool):
                scores[place] += shares[code] * (covered[place] / whole) ** COVERED
        least = SAME * nlargest(k, scores)[-1] if len(rows) > k else 0.0
        return {row: score for row, score in zip(rows, scores, strict=True) if score >= least}

    def _promising(self, words: Sequence[Wanted], stops: Sequence[Wanted], count: int) -> int:
        """The bits of the best rows, roughly: so many, and those level with the last of them."""
        top = max(shares.share for _, shares in words)
        span = max(posting.rows[-1] for posting, _ in words) + 1
        columns: list[list[int]] = []
        matching, whole = 0, -1

        def put(levels: Iterable[int], shares: Shares) -> None:
            for rows, part in zip(levels, REPEATED, strict=True):
                put_weight(columns, rows, round(FINE * part * shares.share / top))

        for posting, shares in words:
            levels = posting.levels(span)
            matching |= levels[0]
            whole &= levels[0] if shares.weight >= 1 else -1
            put(levels, shares)
        for posting, shares in stops if whole else ():
            put([rows & whole for rows in posting.levels(span)], shares)
        return largest(product(added(columns), self._length_factors()), matching, count)

    def _length_factors(self) -> list[int]:
        """What a row's length leaves of the weight of its words, in 15ths, as bit slices."""
        if not self._factors:
            base, slope = self._length()
            columns: list[list[int]] = []
            for number, posting in self._classes.items():
                left = (1 + base) / (1 + base + slope * mean_size(number))
                put_weight(columns, posting.levels(0)[0], round(STEPS * left))
            self._factors = added(columns)
        return self._factors

    def _wanted(self, weights: Mapping[str, float]) -> list[Wanted]:
        """The words that some row has, the rarest first."""
        if not self.sizes:
            return []
        postings = [(self._posting(term), weight) for term, weight in weights.items() if weight]
        there = [(posting, weight) for posting, weight in postings if posting.rows]
        there.sort(key=lambda each: len(each[0].rows))
        length = self._length()
        return [(posting, Shares(weight, self._idf(posting), *length)) for posting, weight in there]

    def _length(self) -> tuple[float, float]:
        """What is added to a word's times below the line, and how much more for each word of a
        row."""
        return K1 * (1 - B), K1 * B * len(self.sizes) / (self._total or 1)

    def _idf(self, posting: Posting) -> float:
        rows = len(posting.rows)
        return math.log(1 + (len(self.sizes) - rows + 0.5) / (rows + 0.5))

    def _posting(self, term: str) -> Posting:
        posting = self._postings.get(term)
        if posting is None:
            posting = Posting()
            if self._read is not None:
                if len(self._postings) >= REMEMBERED:
                    self._postings = {}
                for row, times in self._read(term):
                    posting.put(row, code_of(times, self.sizes[row]))
                self._postings[term] = posting
        return posting
