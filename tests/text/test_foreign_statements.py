"""All that a user says in another language than English may hold, but for questions and thanks."""

import pytest

from contextwright.text.foreign_statements import MAX_MESSAGE, MAX_WHOLE, lasting_words
from contextwright.text.foreign_wordings import sounds_lasting


@pytest.mark.parametrize(
    "text",
    [
        "Unser Werk in Graz schließt um fünf.",
        "Mach bitte Teil 3 fertig. Den liest der Lehrling.",
        "Notre usine de Lyon ferme à dix-sept heures.",
        "我们在杭州的工厂五点关门。",
        "テスト環境の担当は佐藤さんです。",
    ],
)
def test_a_short_message_is_told_whole(text):
    assert lasting_words(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Never touch app.cfg.",
        "Wie weit ist Teil 3 denn?",
        "第三部分做完了吗？",
        "Vielen Dank!",
        "Bitte nie anfassen: " + "eine Zeile der Ausgabe " * (MAX_MESSAGE // 20),
    ],
)
def test_english_questions_thanks_and_pages_are_not_told(text):
    assert not lasting_words(text)


def test_of_a_longer_message_those_sentences_are_told_that_sound_as_if_they_hold():
    rule = "Die Datei app.cfg bleibt tabu."
    text = "Wir bauen gerade den Dienst um. " * 12 + rule
    assert MAX_WHOLE < len(text) < MAX_MESSAGE
    assert lasting_words(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "app.cfg ist ab sofort tabu.",
        "app.cfg reste en lecture seule.",
        "Las fechas solo en formato dd/mm/aaaa.",
        "Daqui pra frente escreva tudo em minúsculas.",
        "Il file resta com'è.",
        "We houden het bij app.cfg.",
        "Nie ruszaj app.cfg.",
        "app.cfg только для чтения.",
        "app.cfg dosyasına sakın dokunma.",
        "以后都用app.cfg。",
        "app.cfgはそのまま残します。",
        "app.cfg는 그대로 두기로 했습니다.",
    ],
)
def test_rules_and_decisions_are_told_by_more_wordings_than_the_plain_ones(text):
    assert sounds_lasting(text)


@pytest.mark.parametrize(
    "text",
    ["Fass die Datei zusammen.", "Résume le fichier.", "把文件整理一下。", "要約してください。"],
)
def test_requests_are_not(text):
    assert not sounds_lasting(text)
