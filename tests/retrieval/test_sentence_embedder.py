"""A BERT by numpy gives what the same arithmetic gives number by number."""

import json
import math
import random
import zipfile

import pytest

from contextwright.errors import ModelError
from contextwright.retrieval.sentence_embedder import SentenceEmbedder

np = pytest.importorskip("numpy")
safetensors = pytest.importorskip("safetensors.numpy")
tokenizers = pytest.importorskip("tokenizers")

WIDTH, HEADS, INNER, LAYERS, WORDS = (
    8,
    2,
    12,
    2,
    ("[CLS]", "[SEP]", "[UNK]", "tea", "heron", "mill"),
)
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "max_position_embeddings": 10,
    "layer_norm_eps": 1e-12,
}


@pytest.fixture
def weights():
    dice = random.Random(1)

    def matrix(*shape):
        return np.array(
            [dice.gauss(0, 0.5) for _ in range(math.prod(shape))], dtype="float32"
        ).reshape(shape)

    def dense(name, out, into):
        return {f"{name}.weight": matrix(out, into), f"{name}.bias": matrix(out)}

    made = {
        "embeddings.word_embeddings.weight": matrix(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": matrix(10, WIDTH),
        "embeddings.token_type_embeddings.weight": matrix(2, WIDTH),
        "embeddings.position_ids": np.arange(10),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            made |= dense(f"{layer}.attention.{part}", WIDTH, WIDTH)
        made |= dense(f"{layer}.intermediate.dense", INNER, WIDTH)
        made |= dense(f"{layer}.output.dense", WIDTH, INNER)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        made |= {f"{name}.weight": matrix(WIDTH), f"{name}.bias": matrix(WIDTH)}
    return made


@pytest.fixture
def folder(tmp_path, weights):
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    ids = {word: place for place, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    safetensors.save_file(weights, tmp_path / "model.safetensors")
    return tmp_path


def reference(ids, weights):
    """One text, number by number, with the error function of the standard library."""
    w = {name: matrix.tolist() for name, matrix in weights.items()}

    def dense(row, name):
        pairs = zip(w[name + ".weight"], w[name + ".bias"], strict=True)
        return [sum(a * b for a, b in zip(row, line, strict=True)) + bias for line, bias in pairs]

    def norm(row, name):
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((each - mean) ** 2 for each in row) / len(row) + 1e-12)
        pairs = zip(row, w[name + ".weight"], w[name + ".bias"], strict=True)
        return [(each - mean) / spread * scale + bias for each, scale, bias in pairs]

    def added(one, other, name):
        pairs = zip(one, other, strict=True)
        return [norm([a + b for a, b in zip(x, y, strict=True)], name) for x, y in pairs]

    def attended(rows, layer):
        parts = {
            part: [dense(row, f"{layer}.attention.self.{part}") for row in rows]
            for part in ("query", "key", "value")
        }
        size, out = WIDTH // HEADS, [[0.0] * WIDTH for _ in rows]
        for head in range(HEADS):
            mine = range(head * size, (head + 1) * size)
            for place, query in enumerate(parts["query"]):
                affinity = [
                    math.exp(sum(query[n] * key[n] for n in mine) / math.sqrt(size))
                    for key in parts["key"]
                ]
                for share, value in zip(affinity, parts["value"], strict=True):
                    for n in mine:
                        out[place][n] += share / sum(affinity) * value[n]
        return [dense(row, f"{layer}.attention.output.dense") for row in out]

    table = w["embeddings.word_embeddings.weight"]
    places = w["embeddings.position_embeddings.weight"]
    kind = w["embeddings.token_type_embeddings.weight"][0]
    rows = [
        norm(
            [a + b + c for a, b, c in zip(table[id], places[at], kind, strict=True)],
            "embeddings.LayerNorm",
        )
        for at, id in enumerate(ids)
    ]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        rows = added(rows, attended(rows, layer), f"{layer}.attention.output.LayerNorm")
        inner = [dense(row, f"{layer}.intermediate.dense") for row in rows]
        inner = [[x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in row] for row in inner]
        outer = [dense(row, f"{layer}.output.dense") for row in inner]
        rows = added(rows, outer, f"{layer}.output.LayerNorm")
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    length = math.sqrt(sum(each * each for each in mean))
    return [each / length for each in mean]


def test_vectors_are_the_references(folder, weights):
    embedder = SentenceEmbedder(folder)
    texts = ["tea", "heron mill", "mill heron tea", "tea heron", "zebra", ""]
    ids = [[0, 3, 1], [0, 4, 5, 1], [0, 5, 4, 3, 1], [0, 3, 4, 1], [0, 2, 1], [0, 1]]
    for vector, each in zip(embedder.vectors(texts), ids, strict=True):
        assert vector == pytest.approx(reference(each, weights), abs=2e-6)
    assert embedder.vectors([]) == []
    assert embedder.id.startswith("sentence:")


def test_a_zip_file_of_a_package_is_the_same_model(folder, tmp_path_factory, monkeypatch):
    package = tmp_path_factory.mktemp("site") / "all_minilm_l6_v2"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('never imported')")
    monkeypatch.syspath_prepend(str(package.parent))
    assert SentenceEmbedder.installed() is None
    with zipfile.ZipFile(package / "model.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    installed = SentenceEmbedder.installed()
    assert installed is not None
    assert installed.id == SentenceEmbedder(folder).id
    assert installed.vectors(["tea"]) == SentenceEmbedder(folder).vectors(["tea"])


def test_what_is_beside_a_text_does_not_show(folder):
    embedder = SentenceEmbedder(folder)
    alone = embedder.vectors(["tea heron"])[0]
    many = embedder.vectors(["mill"] * 40 + ["tea heron"] + ["mill tea"] * 40)[40]
    assert many == pytest.approx(alone, abs=1e-6)


def test_a_long_text_is_cut_to_the_models_places(folder):
    embedder = SentenceEmbedder(folder)
    assert embedder.vectors(["tea " * 50]) == embedder.vectors(["tea " * 8])


def test_what_is_no_such_model_is_refused(folder, tmp_path):
    with pytest.raises(ModelError, match="tokenizer.json"):
        SentenceEmbedder(tmp_path / "nowhere")
    (folder / "config.json").write_text(json.dumps(CONFIG | {"model_type": "gpt2"}))
    with pytest.raises(ModelError, match="gpt2"):
        SentenceEmbedder(folder)
    (folder / "config.json").write_text(json.dumps(CONFIG | {"num_hidden_layers": 3}))
    with pytest.raises(ModelError, match=r"encoder\.layer\.2"):
        SentenceEmbedder(folder).vectors(["tea"])
