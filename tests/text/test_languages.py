"""English is told from other languages by common words and by letters."""

import pytest

from contextwright.text.languages import is_english, is_foreign


@pytest.mark.parametrize(
    "text",
    [
        "Bitte rühr die Datei nie an.",
        "Nimm app.cfg nur nachts",
        "Ne touchez pas au fichier",
        "No toques el archivo app.cfg",
        "não mexa nesse arquivo",
        "Il file non va toccato",
        "Laat het bestand met rust",
        "Nie ruszaj tego pliku",
        "Bu dosya sadece gece çalışsın",
        "Rör inte den filen, jag behöver den",
        "Не трогай файл app.cfg",
        "请不要动 app.cfg 这个文件",
        "app.cfg には触らないでください。",
        "app.cfg 파일은 건드리지 마세요",
        "لا تلمس الملف app.cfg",
        "Foo: Größe 4 MB",
    ],
)
def test_another_language_is_told_by_its_words_or_its_letters(text):
    assert is_foreign(text)
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never touch the file.",
        "I am flying to Charles de Gaulle on the 4th.",
        "Translate 你好 to Japanese, please, and keep it short.",
        "Send it to Zoë from accounting.",
    ],
)
def test_names_and_quotes_of_another_language_leave_english_what_it_is(text):
    assert is_english(text)
    assert not is_foreign(text)


@pytest.mark.parametrize("text", ["", "pytest -q tests", "See ya!", "app.cfg", "42"])
def test_of_a_few_words_nobody_knows(text):
    assert not is_english(text)
    assert not is_foreign(text)
