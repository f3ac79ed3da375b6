"""A page as its reader sees it: opened at a width, in light or dark, with every fault recorded.

Belongs here: opening pages and the rules for any page: no error, no request to another machine, no serious
fault of accessibility, readable, usable by keyboard. Not here: what one page shows (its own test).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request, WebSocketRoute, expect

#: All other machines are unreachable, even for requests that bypass the routes (such as `<link rel=preconnect>`).
ARGUMENTS = [
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-dev-shm-usage",
]
OUTSIDE = re.compile(r"^(?:https?|wss?)://(?!(?:127\.0\.0\.1|localhost)(?:[:/?#]|$))", re.IGNORECASE)
LEAST_FONT = 12  # pixels, of the running text
SCRIPTS = {path.stem: path.read_text() for path in Path(__file__).parent.glob("*.js")}


#: Milliseconds for content to appear, even on the busiest machine; a sound page shows it at once.
PATIENCE = 300_000
expect.set_options(timeout=PATIENCE)


class Visitor:
    """Opens pages, each in its own browser profile, and closes them at the end."""

    def __init__(self, browser: Browser):
        self.browser = browser
        self.contexts = []

    def __call__(
        self,
        address: str | Path,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        scale: float = 1,
        remembers: dict[str, str] | None = None,
    ) -> Visit:
        """Open an address, or a file, at a width in pixels; `scheme` is light or dark.

        `remembers` is the initial content of the page's local storage.
        """
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            device_scale_factor=scale,
            locale="en-GB",
            timezone_id="UTC",
            service_workers="block",
        )
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        for name, value in (remembers or {}).items():
            context.add_init_script(f"localStorage.setItem({json.dumps(name)}, {json.dumps(value)})")
        visit = Visit(context.new_page())
        visit.go(address)
        return visit

    def end(self) -> None:
        for context in self.contexts:
            context.close()


class Visit:
    """One open page. `page` is Playwright's; `errors`, `failed` and `left` are filled as it runs."""

    def __init__(self, page: Page):
        self.page = page
        self.errors: list[str] = []
        self.failed: list[str] = []
        self.left: list[str] = []
        context = page.context
        context.route(OUTSIDE, lambda route: route.abort("blockedbyclient"))
        context.route_web_socket(OUTSIDE, self._refuse)
        context.on("request", self._asked)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        context.on("weberror", lambda fault: self.errors.append(str(fault.error)))

    def go(self, address: str | Path) -> None:
        """Open another address in the same tab, or follow the page's own links; all faults are recorded together."""
        url = Path(address).resolve().as_uri() if isinstance(address, Path) else address
        self.page.goto(url, wait_until="load")

    def assert_fine(self) -> None:
        """Check all rules for a page of our own."""
        self.assert_sound()
        self.assert_readable()
        self.assert_accessible()
        self.assert_keyboard()
        self.assert_sound()

    def assert_sound(self) -> None:
        """No error on the console or in a script, and no request that failed or left the machine."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        hints = self.page.eval_on_selector_all(
            "link[rel~=preconnect], link[rel~='dns-prefetch'], link[rel~=prefetch]",
            "all => all.map(it => it.href)",
        )
        left = self.left + [url for url in hints if OUTSIDE.match(url)]
        self._none("requests that leave the machine", left)
        self._none("errors", self.errors)
        self._none("failed requests", self.failed)

    def assert_accessible(self) -> None:
        """axe-core finds nothing that it calls serious or critical."""
        faults = []
        # axe would fetch the style sheets itself, which is not allowed for a page opened as a file
        options = {"resultTypes": ["violations"], "preload": False}
        for rule in Axe().run(self.page, options=options).response["violations"]:
            if rule["impact"] in ("serious", "critical"):
                for node in rule["nodes"]:
                    where = " ".join(str(part) for part in node["target"])
                    faults.append(
                        f"{rule['id']} ({rule['impact']}) {where}: {node['html'][:120]}: {rule['help']}"
                    )
        self._none("faults of accessibility", faults)

    def assert_readable(self) -> None:
        """Nothing scrolls sideways or sticks out, no text is cut or tiny."""
        self._none("faults of reading", self.page.evaluate(SCRIPTS["readable"], LEAST_FONT))

    def assert_keyboard(self) -> None:
        """Tab reaches every control in reading order, and shows the focus."""
        count = self.page.evaluate(SCRIPTS["keyboard"])
        for press in range(2 * count + 50):  # scrollable areas and date fields have tab stops of their own
            self.page.keyboard.press("Tab")
            if press >= count and self.page.evaluate("() => window.tabbing.round()"):
                break
        self._none("faults of the keyboard", self.page.evaluate("() => window.tabbing.faults()"))

    def assert_text(self, *texts: str) -> None:
        """Each text appears."""
        for text in texts:
            self.page.get_by_text(text).locator("visible=true").first.wait_for()

    def assert_seen(self, *selectors: str) -> None:
        """An element for each selector appears."""
        for selector in selectors:
            self.page.locator(selector).locator("visible=true").first.wait_for()

    def assert_address(self, end: str) -> None:
        """The address ends with this, eventually."""
        expect(self.page).to_have_url(re.compile(re.escape(end) + "$"))

    def screenshot(self, path: Path, *, whole: bool = False) -> Path:
        """Save what is visible, or the whole page, as PNG."""
        self.page.screenshot(path=path, full_page=whole, animations="disabled")
        return path

    def _none(self, what: str, faults: list[str]) -> None:
        view = self.page.viewport_size
        assert not faults, f"{what} in {self.page.url} ({view['width']} wide):\n- " + "\n- ".join(faults)

    def _asked(self, request: Request) -> None:
        if OUTSIDE.match(request.url):
            self.left.append(request.url)

    def _refuse(self, socket: WebSocketRoute) -> None:
        self.left.append(socket.url)
        socket.close()

    def _failed(self, request: Request) -> None:
        given_up = request.failure == "net::ERR_ABORTED"  # made by the page itself
        if not given_up and not OUTSIDE.match(request.url):
            self.failed.append(f"{request.url}: {request.failure}")

    def _answered(self, response) -> None:
        if response.status >= 400:
            self.failed.append(f"{urlsplit(response.url).path}: {response.status}")
