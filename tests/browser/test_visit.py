"""Each kind of fault of a page is detected; a page without one passes at every width, in light and dark."""

import http.server
import threading

import pytest

from tests.browser.fixtures import VIEWS

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 sans-serif; background: Canvas; color: CanvasText; }}
.wide {{ overflow-x: auto; }} .wide table {{ width: 900px; }}
.hidden {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
</style>{head}</head><body><main><h1>A page of words</h1><p>Enough words to be the running text of it.</p>
{body}</main></body></html>"""

SOUND = """
<p><a href="#more">More</a> <span class="hidden">for those who listen</span></p>
<label>Month <select><option>2018-06</option></select></label>
<label>Text <input type="search"></label>
<fieldset><legend>Kind</legend><label><input type="radio" name="k" checked>kept</label>
<label><input type="radio" name="k">dropped</label></fieldset>
<details><summary>Reasons</summary><button>Inside</button></details>
<div class="wide" tabindex="0" role="region" aria-label="Rows"><table><tr><th scope="col">text</th></tr>
<tr><td>a row</td></tr></table></div>
<svg role="img" aria-label="Bars" width="200" height="40"><text x="5" y="20" font-size="12">42 rows</text></svg>
<button id="more">Go</button>
"""


@pytest.fixture
def opened(visit, tmp_path):
    def opened(body, head="", **how):
        path = tmp_path / "page.html"
        path.write_text(PAGE.format(head=head, body=body))
        return visit(path, **how)

    return opened


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_page_without_a_fault_passes(opened, width, scheme):
    page = opened(SOUND, width=width, scheme=scheme)
    page.assert_fine()
    assert page.page.evaluate("innerWidth") == width
    assert page.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")


@pytest.mark.long
def test_an_error_or_a_request_to_another_machine_is_detected(opened):
    for body, message in [
        ("<script>console.error('counts do not add up')</script>", "errors.*counts do not add up"),
        ("<script>undefined.rows</script>", "errors.*Cannot read properties of undefined"),
        ('<img alt="" src="missing.png">', "missing.png: net::ERR_FILE_NOT_FOUND|errors.*ERR_FILE_NOT_FOUND"),
        (
            '<img alt="" src="https://cdn.example.org/a.png">',
            "leave the machine.*https://cdn.example.org/a.png",
        ),
        (
            "<script>fetch('https://cdn.example.org/a.json').catch(() => 0)</script>",
            "leave the machine.*a.json",
        ),
        (
            "<script>new WebSocket('wss://example.org/live')</script>",
            "leave the machine.*wss://example.org/live",
        ),
        ('<link rel="preconnect" href="https://fonts.example.org">', "leave the machine.*fonts.example.org"),
    ]:
        with pytest.raises(AssertionError, match=f"(?s){message}"):
            opened(body).assert_sound()


def test_a_request_to_another_machine_is_blocked_before_it_is_sent(opened):
    page = opened('<script src="http://203.0.113.9/a.js"></script>')
    assert page.left == ["http://203.0.113.9/a.js"] and not page.failed


def test_a_file_missing_on_the_own_server_is_detected(visit):
    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found = self.path == "/"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(
                PAGE.format(head="", body='<img alt="" src="/plot.svg">').encode() if found else b""
            )

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = visit(f"http://127.0.0.1:{server.server_port}/")
        assert page.failed == ["/plot.svg: 404"] and page.left == []
        with pytest.raises(AssertionError, match="404"):
            page.assert_sound()
        server.shutdown()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<p style="color: #bbb; background: #fff">pale</p>', r"color-contrast \(serious\) p:nth-child"),
        ('<input type="text">', "label .critical. input.*must have labels"),
        ("<button></button>", "button-name .critical."),
        ('<svg role="img" width="9" height="9"></svg>', "svg-img-alt .serious."),
    ],
)
def test_a_fault_of_accessibility_is_named_with_its_element(opened, body, message):
    with pytest.raises(AssertionError, match=f"(?s){message}"):
        opened(body).assert_accessible()


def test_a_contrast_that_is_too_low_only_in_dark_is_detected(opened):
    style = "<style>p { color: #333; }</style>"
    opened("", head=style).assert_accessible()
    with pytest.raises(AssertionError, match="color-contrast"):
        opened("", head=style, scheme="dark").assert_accessible()


@pytest.mark.long
def test_unreadable_text_is_detected(opened):
    for body, message in [
        ('<div style="width: 600px">wide</div>', "scrolls sideways in 400"),
        ('<div style="width: 50px; overflow: hidden; white-space: nowrap">many more words</div>', "many more words.*is cut by <div>"),
        ('<svg width="60" height="20"><text x="30" y="15">a long label</text></svg>', "a long label.*is cut by <svg>"),
        ('<svg width="200" height="100" viewBox="0 0 400 200"><text y="50" font-size="14">label</text></svg>', "set in 7.0 px"),
        ("<style>p { font-size: 11px }</style>", "most of the text is set in 11 px"),
        ('<p style="font-size: 8px">small print</p>', "small print.*set in 8.0 px"),
        ("<style>main { display: none }</style>", "no text is seen"),
    ]:  # fmt: skip
        with pytest.raises(AssertionError, match=f"(?s){message}"):
            opened(body, width=400).assert_readable()


def test_text_that_can_be_scrolled_to_or_is_in_a_title_does_not_count_as_cut(opened):
    opened(
        '<div style="width: 90px; height: 30px; overflow: auto; white-space: nowrap">many more words<br>two<br>three</div>'
        '<div title="many more words" style="width: 90px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap">'
        "many more words</div>",
        width=400,
    ).assert_readable()


@pytest.mark.long
def test_elements_that_the_keyboard_cannot_reach_are_detected(opened):
    for body, message in [
        ('<button tabindex="-1">Hop</button>', 'Tab does not reach <button> "Hop"'),
        ('<span onclick="go()">Hop</span>', 'Tab does not reach <span> "Hop"'),
        ('<a href="#a">One</a> <a href="#b" style="outline: none">Two</a>', 'focus is not seen on <a> "Two"'),
        ('<a href="#a">One</a> <a href="#b" tabindex="1">Two</a>', 'a tabindex of 1 takes <a> "Two" out of the order'),
        ('<div style="display: flex; flex-direction: row-reverse"><a href="#a">One</a><a href="#b">Two</a></div>',
         'from <a> "One" to <a> "Two", which is read before it'),
    ]:  # fmt: skip
        with pytest.raises(AssertionError, match=message):
            opened(body).assert_keyboard()
