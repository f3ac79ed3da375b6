"""The encoding of web pages that declare none, or a wrong one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.parse.page_bytes import html_text

WESTERN = [
    "Jalape\u00f1o sauce is hot in the town.",
    "El ni\u00f1o comi\u00f3 una pi\u00f1a en Le\u00f3n.",
    "Le caf\u00e9 o\u00f9 j\u2019\u00e9tais est tr\u00e8s \u00e0 la mode, \u00e7a va de soi.",
    "Die Br\u00fccke f\u00fchrt \u00fcber den Flu\u00df nach K\u00f6ln.",
    "\u00d8l er godt p\u00e5 sm\u00f8rrebr\u00f8d, synes b\u00f8rn.",
    "\u00c4nnu en g\u00e5ng \u00e5kte vi \u00f6ver \u00e5n.",
    "A\u00e7\u00e3o e emo\u00e7\u00e3o s\u00e3o irm\u00e3s.",
    "Perch\u00e9 la citt\u00e0 \u00e8 cos\u00ec bella?",
    "H\u00e4n ly\u00f6 p\u00f6yt\u00e4\u00e4n.",
    "It\u2019s \u201cold\u201d \u2013 5 \u20ac.",
]
OTHERS = {
    "\u0420\u0435\u043a\u0430 \u0422\u0430\u043d\u0435 \u0434\u043b\u0438\u043d\u043d\u0435\u0435 \u0432\u0441\u0435\u0445 \u0440\u0435\u043a \u043e\u0441\u0442\u0440\u043e\u0432\u0430.": ("cp1251", "koi8-r"),
    "\u0397 \u03b5\u03bb\u03bb\u03b7\u03bd\u03b9\u03ba\u03ae \u03b3\u03bb\u03ce\u03c3\u03c3\u03b1 \u03b5\u03af\u03bd\u03b1\u03b9 \u03c0\u03b1\u03bb\u03b9\u03ac.": ("iso8859-7", "cp1253"),
    "\u30bf\u30cd\u5ddd\u306f\u5cf6\u3067\u4e00\u756a\u9577\u3044\u5ddd\u3067\u3059\u3002": ("shift_jis", "euc-jp"),
    "\u5854\u5185\u6cb3\u662f\u5c9b\u4e0a\u6700\u957f\u7684\u6cb3\u6d41\u3002": ("gbk",),
    "\u5854\u5167\u6cb3\u662f\u5cf6\u4e0a\u6700\u9577\u7684\u6cb3\u6d41\u3002": ("big5",),
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u05d6\u05d4 \u05d8\u05e7\u05e1\u05d8.": ("cp1255",),
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645 \u0647\u0630\u0627 \u0646\u0635.": ("cp1256",),
    "P\u0159\u00edli\u0161 \u017elu\u0165ou\u010dk\u00fd k\u016f\u0148 \u00fap\u011bl \u010f\u00e1belsk\u00e9 \u00f3dy. \u0158eka te\u010de p\u0159es m\u011bsto, ve kter\u00e9m \u017eije \u0161est tis\u00edc lid\u00ed, a na b\u0159ehu stoj\u00ed star\u00fd ml\u00fdn.": ("iso8859-2",),
    "\u0130stanbul g\u00fczel bir \u015fehir, a\u011fa\u00e7.": ("cp1254",),
}  # fmt: skip

plain = st.lists(st.sampled_from(["The mill is old.", "<b>Who</b> built it?", "x<br>"]), max_size=5).map(
    " ".join
)


@pytest.mark.parametrize("sentence", WESTERN)
@given(st.integers(1, 5), plain, st.sampled_from(["", "text/html; charset=utf-8"]))
def test_western_letters_of_an_undeclared_page_come_back_whole(sentence, times, before, content_type):
    text = f"<p>{before} {sentence * times}</p>"
    assert html_text(text.encode("cp1252"), content_type) == (text, "cp1252")


@pytest.mark.parametrize("text", OTHERS)
@given(plain, plain)
def test_another_script_of_an_undeclared_page_comes_back_whole(text, before, after):
    page = f"<p>{before} {text} {after}</p>"
    for encoding in OTHERS[text]:
        assert html_text(page.encode(encoding))[0] == page
