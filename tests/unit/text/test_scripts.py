"""The words of every script, and the forms in which texts are compared."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.text import scripts
from tests.tables import every

CUT = {
    # no spaces: characters and pairs, so that a part of a run gives a part of its words
    "支付网关": "支 支付 付 付网 网 网关 关",
    "茶": "茶",
    "食べる": "食 食べ べ べる る",
    "ﾃｽﾄ": "テ テス ス スト ト",
    "が": "が",
    "서버의 재시작": "서 서버 버 버의 의 재 재시 시 시작 작",
    "第3章 API网关": "第 3 章 api 网 网关 关",
    "𠮷野家": "𠮷 𠮷野 野 野家 家",
    # signs belong to their letter, and one letter says nothing
    "แม่บ้าน": "แม่ ม่บ้ บ้า าน",
    "ລາວ": "ລາ າວ",
    "ភាសា": "ភាសា",
    "မြန်": "မြန်",
    # spaces: words, whatever signs they are written with
    "हिन्दी में": "हिन्दी में",
    "தமிழ் மொழி": "தமிழ் மொழி",
    "Straße STRASSE": "strasse strasse",
    "naïve café, Tiếng Việt": "naive cafe tieng viet",
    "Ёлка Ελληνικά İstanbul": "елка ελληνικα istanbul",
    "السَّلامُ عليكم": "السلام عليكم",
    "שָׁלוֹם": "שלום",
    "re\u0301sume\u0301": "resume",
    "Don\u00adau می\u200cروم": "donau میروم",
    # compatibility forms
    "ＡＢＣ－１２３４": "abc 1234",
    "ﬁnal x² Kleenex™ 5㎏": "final x2 kleenex tm 5 kg",
    "snake_case, kebab-case.py": "snake case kebab case py",
    # emoji, whoever paints them and however they are joined
    "🚒🧯 ok": "🚒 🧯 ok",
    "👍🏽👍": "👍 👍",
    "❤️ ❤": "❤ ❤",
    "👩‍💻": "👩 💻",
    "🇩🇪🇫🇷 1️⃣": "🇩🇪 🇫🇷 1",
    "… “–” !?、。": "",
}


@every("text", CUT)
def test_a_text_is_cut_into_the_words_of_its_script(text: str) -> None:
    assert " ".join(scripts.words(text)) == CUT[text]
    assert scripts.words(unicodedata.normalize("NFD", text)) == scripts.words(text)


@given(st.text(max_size=60))
def test_words_stay_as_they_are_when_they_are_cut_again(text: str) -> None:
    for word in scripts.words(text):
        assert word in scripts.words(word), "a word of a query is one of the text index"
        assert not word.isspace() and word == word.strip()
        assert all(character not in " _\"'" for character in word), "it is one word to FTS5, and no syntax"


@given(st.text(alphabet="支付网关请求書のは서버 ", min_size=4, max_size=20))
def test_part_of_a_run_has_its_words_in_a_row(text: str) -> None:
    all_words, inside = scripts.words(text), scripts.words(text[1:-1])
    assert not inside or any(all_words[at : at + len(inside)] == inside for at in range(len(all_words)))


STEMS = {
    "Запасные ключи: у кошки ключа нет, мой йод, Київ": "запасн ключ у кошк ключ нет мо йод київ",
    "κλειδί κλειδιά": "κλειδ κλειδ",
    "كتاب الكتاب": "كتاب كتاب",
    "लड़की लड़कियाँ": "लड़क लड़क",
    "running keys, naïve Straße, 网关": "running keys naive strasse 网 网关 关",
}


@every("text", STEMS)
def test_the_text_index_holds_stems_of_other_alphabets(text: str) -> None:
    assert " ".join(scripts.indexed_words(text)) == STEMS[text]


PARTS = {
    "TokenBucketLimiter maxPoolSize": {
        "tokenbucketlimiter": ["token", "bucket", "limiter"],
        "maxpoolsize": ["max", "pool", "size"],
    },
    "HTTPServer ABC1234": {"httpserver": ["http", "server"], "abc1234": ["abc", "1234"]},
    "ＸＫ７７８１": {"xk7781": ["xk", "7781"]},
    "the 18th of APIs, URLs and plain words": {},
    "53aa51172d142c89": {},
}


@every("text", PARTS)
def test_names_of_code_have_parts_and_plurals_and_hashes_have_none(text: str) -> None:
    assert scripts.parts(text) == PARTS[text]


def test_long_words_may_be_made_of_others() -> None:
    text = "Die Donaudampfschifffahrtsgesellschaft und der Rechnungsprüfungsdienst, Donaudampfschifffahrtsgesellschaft"
    assert scripts.compounds(text) == ["donaudampfschifffahrtsgesellschaft", "rechnungsprufungsdienst"]
    assert scripts.compounds(f"short {'x' * 100} 0123456789abcdef 支付网关支付网关支付网关") == []
    assert [word for word in ("rechnung", "nation", "支付", "x1y2z3w4") if scripts.may_be_part(word)] == ["rechnung"]


@every(
    ("written", "same"),
    [("Résumé", "re\u0301sume\u0301"), ("Zürich", "zu\u0308rich"), ("ＡＢＣ", "abc"), ("Straße", "STRASSE")],
)
def test_tags_are_compared_without_case_and_composition(written: str, same: str) -> None:
    assert scripts.key_form(written) == scripts.key_form(same)
    assert scripts.key_form("resume") != scripts.key_form("résumé")


@given(st.text(max_size=80))
def test_every_place_of_a_normal_form_comes_from_a_place_of_the_text(text: str) -> None:
    form, places = scripts.in_places(text)
    assert len(places) == len(form) + 1
    assert list(places) == sorted(places) and all(0 <= place <= len(text) for place in places)


@every(
    ("text", "foreign"),
    [
        ("Größe", False),
        ("Việt", False),
        ("The 王工 task", False),
        ("支付网关 API", True),
        ("привет", True),
        ("🧯", True),
        ("", False),
    ],
)
def test_what_is_mostly_of_no_latin_script_is_foreign(text: str, foreign: bool) -> None:
    assert scripts.is_foreign(text) is foreign
