"""Walks the console of a running demo with a real browser: one line `ok  name` or `FAIL name: why`
for each check. Called by run.sh.

    console_test.py [--browser PATH] [--pages N] [--pictures DIR] LINK...

LINK: pages of the console from which the walk begins, all of one origin.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from datetime import datetime, timedelta
from statistics import median
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from acts import act_page, acts, erased, send, stopped
from console import Console, Failure, require, template

# A walk that has not ended by then follows links without end.
MAXIMUM_PAGE_COUNT = 300
PAINT_COUNT = 9
MAXIMUM_PAGE_BYTE_COUNT = 60 * 1024
NARROW = {"width": 320, "height": 640}
AXE_RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "resultTypes": ["violations"],
}
# Those that depend on the width.
NARROW_RULES = {"runOnly": {"type": "rule", "values": ["scrollable-region-focusable"]}}
# Pages without an id: each answers, also where no link leads to it.
PAGES = [
    "", "events", "intake", "quarantine", "recoveries", "webhooks", "reports", "reports/churn",
    "reports/retention-offers", "audit", "decisions", "help", "find",
    "reports/diff?metric=churn&knownPosition=100", "../sign-in",
]
# What a page says of nothing: with status 404.
MISSING = ["nowhere", "customers/user-missing", "find?q=user-missing"]
FOCUSABLE = (
    "a[href],button:enabled,input:enabled:not([type=hidden],[type=radio]),select:enabled,"
    "textarea:enabled,summary,[tabindex='0']"
)


# --- Checks ---

def walk(console):
    """Every page reachable by links, one per route, or the first of them; and those of nothing."""
    page = console.open()
    faults = []
    seen = set()
    console.missing = {console.home + name for name in MISSING}
    known = f"?knownPosition={console.head()}"
    historic = [url + known for url in console.links if "/customers/" in url]
    waiting = console.links + historic + [console.home + name for name in PAGES + MISSING]
    while waiting and len(console.pages) < console.page_limit:
        url = urldefrag(urljoin(console.home, waiting.pop(0))).url
        route = url if url in console.missing else template(url)
        if route in seen:
            continue
        # Links of a page of nothing lead to it in another environment or zone.
        seen |= {route, template(url)}
        answer = page.request.get(url)
        if answer.status != (404 if url in console.missing else 200):
            faults.append(f"{url}: {answer.status}")
            continue
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        console.pages[route] = answer.url
        console.sizes[answer.url] = len(answer.body())
        console.go(page, url)
        for href in page.eval_on_selector_all(
            "a[href]:not([href*='/bundle'])",
            "links => links.map(link => link.getAttribute('href'))",
        ):
            target = urljoin(page.url, href)
            if target.startswith(console.origin + "/console") and "sign-out" not in target:
                waiting.append(target)
    page.context.close()
    require(not faults, "\n     ".join(faults))
    require(len(console.pages) >= len(PAGES), f"only {len(console.pages)} pages")
    left = {template(urljoin(console.home, url)) for url in waiting} - seen
    require(console.page_limit < MAXIMUM_PAGE_COUNT or not left, f"left out: {sorted(left)[:5]}")


def redirected(console):
    page = console.open()
    console.go(page, console.origin + "/console/")
    require(page.url == console.home, f"/console/ leads to {page.url}")
    page.context.close()


def policy(console):
    page = console.open()
    headers = console.go(page, console.home).headers
    wanted = headers.get("content-security-policy", "")
    require("default-src 'none'" in wanted and "unsafe" not in wanted, f"the policy is {wanted!r}")
    back = page.evaluate("getComputedStyle(document.querySelector('header.bar')).display")
    require(back == "flex", "the policy refuses the style sheet")
    page.context.close()


def accessible(scheme):
    def check(console):
        page = console.open(color_scheme=scheme)
        faults = []
        for url in console.pages.values():
            console.go(page, url)
            verified(page)
            for found in Axe().run(page, options=AXE_RULES).response["violations"]:
                node = found["nodes"][0]
                faults.append(f"{url} {found['id']}: {node['html'][:160]}")
        page.context.close()
        require(not faults, "\n     ".join(faults))

    return check


# The texts of stacked cells that begin left of the end of their cell's label.
FALLEN = """() => [...document.querySelectorAll("table.stack td[data-label]")].flatMap(cell => {
    const label = parseFloat(getComputedStyle(cell, "::before").width);
    const edge = cell.getBoundingClientRect().left + label;
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const fallen = [];
    for (let text; (text = walker.nextNode());) {
        const range = document.createRange();
        range.selectNodeContents(text);
        const boxes = [...range.getClientRects()];
        if (boxes.some(box => box.width > 0 && box.left < edge)) fallen.push(text.data.trim());
    }
    return fallen;
})"""


# The texts of links to ids in tables, and of the link to the content, that are hard to hit.
LOW = """() => [...document.querySelectorAll("td a.id, a.skip")]
    .filter(link => link.getBoundingClientRect().height < 24).map(link => link.textContent)"""


# Pictures whose text is less than 8 px high, or that scroll in no region of their own.
TINY = """() => [...document.querySelectorAll("svg.band, svg.chart")].filter(picture => {
    const low = [...picture.querySelectorAll("text")].some(
        text => text.getBoundingClientRect().height < 8);
    return low || !picture.closest(".scroll[role=region][tabindex='0']");
}).map(picture => picture.ariaLabel)"""


def narrow(console):
    page = console.open(viewport=NARROW)
    faults = []
    for url in console.pages.values():
        console.go(page, url)
        verified(page)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > NARROW["width"]:
            faults.append(f"{url} is {width} wide")
        faults += [f"{url}: {text!r} is below its label" for text in page.evaluate(FALLEN)]
        for found in Axe().run(page, options=NARROW_RULES).response["violations"]:
            faults.append(f"{url} {found['id']}: {found['nodes'][0]['html'][:160]}")
        faults += [f"{url}: {text!r} is less than 24 px high" for text in page.evaluate(LOW)]
        faults += [f"{url}: {text!r} cannot be read" for text in page.evaluate(TINY)]
    page.context.close()
    require(not faults, "\n     ".join(faults))


def local_times(console):
    """Times in the browser's zone stand below heads that say so."""
    page = console.open(viewport=NARROW, timezone_id="Asia/Tokyo")
    for url in (console.first("customers"), console.home + "events"):
        console.go(page, url + "?tz=local")
        stated, shown = page.locator("td time").first.evaluate(
            "time => [time.dateTime, time.textContent]")
        wanted = datetime.fromisoformat(stated.replace("Z", "+00:00")) + timedelta(hours=9)
        require(shown == wanted.strftime("%Y-%m-%d %H:%M:%S"), f"{url}: {stated} is {shown}")
        labels = page.eval_on_selector_all(
            "th, [data-label]", "all => all.map(one => one.dataset.label ?? one.textContent)")
        zones = {found[0] for label in labels if (found := re.findall(r"\((.*)\)$", label))}
        require(zones == {"local"}, f"{url}: heads say {zones}")
    page.context.close()


def without_script(console):
    page = console.open(java_script_enabled=False)
    for url in console.pages.values():
        console.go(page, url)
        require(page.locator("main").inner_text().strip(), f"{url}: main is empty")
    page.context.close()


def small(console):
    faults = [
        f"{url} has {size} bytes"
        for url, size in console.sizes.items()
        if size > MAXIMUM_PAGE_BYTE_COUNT
    ]
    require(not faults, "\n     ".join(faults))


def printed(console):
    page = console.open()
    for url in console.pages.values():
        console.go(page, url)
        page.emulate_media(media="print")
        require(page.locator("main").is_visible(), f"{url}: main is not printed")
        require(not page.locator("header.bar").is_visible(), f"{url}: the bar is printed")
        page.emulate_media(media="screen")
    require(len(page.pdf()) > 1000, "the last page has no PDF")
    page.context.close()


def found_by_keyboard(console):
    page = console.open()
    for url in (console.first("customers"), console.first("subscriptions")):
        console.go(page, console.home)
        page.keyboard.press("/")
        focused = page.evaluate("document.activeElement.matches('form.find input[name=q]')")
        require(focused, "/ does not focus the find box")
        page.keyboard.type(urlsplit(url).path.split("/")[-1])
        page.keyboard.press("Enter")
        page.wait_for_url(lambda now: urlsplit(now).path == urlsplit(url).path)
    console.go(page, console.home)
    page.keyboard.press("?")
    page.wait_for_url("**/help")
    page.locator("#keys").uncheck()
    console.go(page, console.home)
    page.keyboard.press("?")
    page.keyboard.press("/")
    focused = page.evaluate("document.activeElement.matches('form.find input[name=q]')")
    require(not focused and page.url == console.home, "a key works although keys are off")
    page.keyboard.press("Control+k")
    focused = page.evaluate("document.activeElement.matches('form.find input[name=q]')")
    require(focused, "Control+K does not focus the find box")
    page.context.close()


def moved_by_keyboard(console):
    """Rows, sections, the evidence, and what was known earlier have keys."""
    page = console.open()
    console.go(page, console.home + "events")
    urls = []
    for key in ("j", "j", "k"):
        page.keyboard.press(key)
        urls.append(page.evaluate("document.activeElement.href"))
    require(urls[0] == urls[2] != urls[1], f"j, j and k lead to {urls}")
    page.keyboard.press("Enter")
    page.wait_for_url(urls[0])
    # A download ends its navigation, which would abort the next one.
    with page.expect_download() as evidence:
        page.keyboard.press("e")
    require(evidence.value.url == urls[0] + "/raw", f"e leads to {evidence.value.url}")
    for key, name in (
        ("c", ""), ("e", "events"), ("i", "intake"), ("r", "reports"), ("d", "decisions"),
        ("a", "audit"),
    ):
        page.keyboard.press("g")
        with page.expect_navigation(url=console.home + name):
            page.keyboard.press(key)
    console.go(page, console.first("customers"))
    page.keyboard.press("t")
    focused = page.evaluate("document.activeElement.id")
    require(focused == "knownAt", f"t focuses {focused!r}")
    page.keyboard.press("Escape")
    known = []
    for key in ("[", "[", "]"):
        with page.expect_navigation():
            page.keyboard.press(key)
        time = dict(parse_qsl(urlsplit(page.url).query))["knownAt"]
        known.append(datetime.fromisoformat(time.replace("Z", "+00:00")))
    steps = [known[0] - known[1], known[2] - known[1]]
    require(steps == [timedelta(days=1)] * 2, f"[, [ and ] lead to {known}")
    page.context.close()


def tabbed(console):
    """Tab reaches everything visible; the focus is seen and not under the bar."""
    page = console.open()
    urls = [console.home, console.first("customers"), console.first("events"),
            console.home + "intake", console.home + "reports/churn", console.home + "help"]
    for url in urls:
        console.go(page, url)
        verified(page)
        count = page.evaluate(
            """selector => {
                window.toReach = new Set([...document.querySelectorAll(selector)].filter(
                    one => one.checkVisibility({ checkVisibilityCSS: true })));
                return window.toReach.size;
            }""", FOCUSABLE)
        for _ in range(count + 3):
            page.keyboard.press("Tab")
            why = page.evaluate(
                """() => {
                    const one = document.activeElement;
                    if (one === document.body) return null;
                    window.toReach.delete(one);
                    const style = getComputedStyle(one);
                    const text = one.outerHTML.slice(0, 120);
                    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
                        return `no visible focus: ${text}`;
                    const bar = document.querySelector("header.bar");
                    if (getComputedStyle(bar).position === "sticky" && !bar.contains(one)
                        && !one.matches("a.skip")
                        && one.getBoundingClientRect().top < bar.getBoundingClientRect().bottom)
                        return `focus under the bar: ${text}`;
                    return null;
                }""")
            require(why is None, f"{url}: {why}")
        left = page.evaluate(
            "[...window.toReach].filter(one => one.isConnected).map(one => one.outerHTML)")
        require(not left, f"{url}: Tab does not reach {len(left)}, first {left[:1]}")
    page.context.close()


def verified(page):
    """Waits until the verifier of the page, if it has one, is done; returns its state."""
    if page.locator("#verify").count() == 0:
        return None
    page.wait_for_selector("#verify[data-state]:not([data-state=running])")
    return page.locator("#verify").get_attribute("data-state")


def signed_event(console):
    """An event page with a JWS."""
    page = console.open(java_script_enabled=False)
    try:
        for position in range(1, 20):
            url = f"{console.home}events/{position}"
            console.go(page, url)
            if page.locator("#verify[data-jws-from]").count():
                return url
        raise Failure("none of the first events can be verified")
    finally:
        page.context.close()


def verifies(console):
    page = console.open()
    url = signed_event(console)
    console.go(page, url)
    rows = "; ".join(page.locator("#verify li").all_inner_texts())
    require(verified(page) == "yes", f"{url}: {rows}")
    rows = "; ".join(page.locator("#verify li").all_inner_texts())
    for name in ("signature", "certificates", "dates at signing", "leaf hash", "in tree of"):
        require(f"ok {name}" in rows, f"{url}: no {name!r} in {rows}")
    page.context.close()


def others_verify(console):
    """A pair has its two JWS verified; what has none says so, and is in the log as it is here."""
    page = console.open()
    found = {}
    for position in range(console.head(), 0, -1):
        text = page.request.get(f"{console.home}events/{position}").text()
        if " data-raw=" in text:
            found.setdefault(2 if ' data-jws="' in text else 0, position)
        if len(found) == 2:
            break
    require(len(found) == 2, "the log has no pair, or no sweep")
    for checks, position in found.items():
        console.go(page, f"{console.home}events/{position}")
        state = verified(page)
        rows = page.locator("#verify li").all_inner_texts()
        require(state == "yes", f"#{position}: {'; '.join(rows)}")
        signed = sum("ok signature" in row for row in rows)
        require(signed == checks, f"#{position}: {signed} signatures verified")
        require(any("of this evidence" in row for row in rows), f"#{position}: other bytes")
        require((page.locator("#verify .banner").count() == 0) == (checks > 0), f"#{position}: why")
    page.context.close()


def tampering_shows(console):
    """A changed tree root, leaf or JWS is refused by the page that shows it."""
    url = signed_event(console)
    for name, pattern in (
        ("tree root", r'(data-tree-root=")(.)'), ("leaf", r'(data-leaf=")(.)'),
        ("header", r"(eyJ)(.)"), ("payload", r"(\.)(e)(?=yJ)"),
    ):
        page = console.open()

        def change(route):
            answer = route.fetch()
            body, count = re.subn(
                pattern, lambda found: found[1] + ("1" if found[2] != "1" else "2"),
                answer.text(), count=1)
            require(count == 1, f"the page has no {name}")
            route.fulfill(response=answer, body=body)

        page.route(url, change)
        console.go(page, url)
        require(verified(page) == "no", f"a changed {name} is accepted")
        rows = "; ".join(page.locator("#verify li").all_inner_texts())
        wrong = "leaf hash: other evidence"
        require(name not in ("header", "payload") or wrong in rows, f"a changed {name}: {rows}")
        page.context.close()


def check_alone(console, text, state):
    """Opens a page that proves an answer as a file, offline: it must come to the state."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "proof.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        context = console.browser.new_context(offline=True)
        alone = context.new_page()
        alone.goto(f"file://{path}")
        alone.wait_for_selector("#proof[data-state=yes], #proof[data-state=no]")
        found = alone.locator("#proof").get_attribute("data-state")
        rows = "; ".join(alone.locator("#proof li.no").all_inner_texts())
        require(found == state, f"expected {state}: {rows}")
        require(alone.evaluate("window.isBroken === undefined"), "a text became a script")
        context.close()


def proof_of_hostile_text(console):
    """A reason that ends a script, and has what stands for "<" there, is proven like any other."""
    reason = r"</script><script>window.isBroken = 1</script> \u003c \\u003c <!-- <script>"
    page = console.open()
    act_page(console, page, "note")
    page.locator("form.act textarea").fill(reason)
    send(page, clicks=1)
    bundle = page.url.split("?")[0] + "/bundle"
    kept = [event["evidence"] for event in page.request.get(bundle).json()["events"]]
    named = [json.loads(text) for text in kept if text and text.startswith("{")]
    require(reason in [event.get("reason") for event in named], "the proof has no such reason")
    check_alone(console, page.request.get(bundle + "?html=true").text(), "yes")
    page.context.close()


def proof_alone(console):
    """The page that proves an answer verifies without a network, and no longer once changed."""
    page = console.open()
    answer = page.request.get(console.first("subscriptions") + "/bundle?html=true")
    require(answer.status == 200, f"no proof: {answer.status}")
    text = answer.text()
    page.context.close()
    changed, count = re.subn(
        r'("evidence":"[^"]{2000})(.)', lambda found: found[1] + ("A" if found[2] != "A" else "B"),
        text, count=1)
    require(count == 1, "the page has no evidence")
    check_alone(console, text, "yes")
    check_alone(console, changed, "no")
    # A bundle that cannot be read fails, too.
    for name in ["events", "environment"]:
        check_alone(console, text.replace(f'"{name}":', f'"{name}', 1), "no")
        check_alone(console, text.replace(f'"{name}":', f'"{name}s":', 1), "no")


def noted(console):
    """Makes one event; returns its position."""
    page = console.open()
    act_page(console, page, "note")
    send(page, clicks=1)
    page.context.close()
    return console.head()


def appears_live(console):
    """The log and intake follow a new event without reloading; what is in use waits."""
    log, intake = console.open(), console.open()
    for page, name in ((log, "events"), (intake, "intake")):
        console.go(page, console.home + name)
        page.evaluate("window.isSame = true")
        require(page.locator("[data-live]").count(), f"{name} has no data-live")
        page.get_by_text("live", exact=True).first.wait_for()

    def link(head):
        return log.locator(f"[data-live] a[href$='/events/{head}']")

    head = noted(console)
    link(head).first.wait_for()
    intake.locator("[data-live]").get_by_text(f"log at position {head}").wait_for()
    require(intake.locator("[data-live]").count() == 1, "intake has not one live part")
    log.locator("[data-live] a").first.focus()
    head = noted(console)
    log.get_by_text("paused", exact=True).first.wait_for()
    require(link(head).count() == 0, "the log changes under the focus")
    log.evaluate("document.activeElement.blur()")
    link(head).first.wait_for()
    intake.route("**/intake", lambda route: route.fulfill(status=200, body=""))
    noted(console)
    intake.locator(".stale > .verdict").wait_for()
    intake.unroute("**/intake")
    head = noted(console)
    intake.locator("[data-live]:not(.stale)").get_by_text(f"log at position {head}").wait_for()
    for page in (log, intake):
        require(page.evaluate("window.isSame"), f"{page.url} was loaded again")
        page.context.close()


def stays_home(console):
    require(not console.foreign, "; ".join(console.foreign[:5]))


def no_errors(console):
    require(not console.errors, "\n     ".join(dict.fromkeys(console.errors[:10])))


def dots(scheme):
    def check(console):
        """Dots have the colours of their lines, which the chart states."""
        page = console.open(color_scheme=scheme)
        console.go(page, console.home + "reports/renewals")
        circles = page.locator("svg.chart circle[fill]")
        require(circles.count() > 0, "the chart has no dots")
        stated = circles.evaluate_all(
            """circles => circles.map(circle => {
                const probe = document.createElement("i");
                probe.style.color = circle.getAttribute("fill");
                return [probe.style.color, getComputedStyle(circle).fill];
            })""")
        faults = [f"{shown} instead of {named}" for named, shown in stated if named != shown]
        page.context.close()
        require(not faults, "; ".join(faults[:3]))

    return check


def first_paint(console):
    """Times to the first paint of a customer's page and of a page with one word, in turn, so that
    a load that rises or falls meets both alike; their medians, and that of the differences."""
    urls = (console.first("customers", "subscriptions"), "data:text/html,<p>blank</p>")
    rounds = []
    for _ in range(PAINT_COUNT):
        times = []
        for url in urls:
            context = console.browser.new_context(viewport={"width": 1200, "height": 800})
            page = context.new_page()
            page.goto(url, wait_until="load")
            times.append(page.evaluate(
                "new Promise(done => new PerformanceObserver(list => "
                "done(list.getEntries()[0].startTime)).observe({type: 'paint', buffered: true}))"))
            context.close()
        rounds.append((*times, times[0] - times[1]))
    own, blank, more = (median(figures) for figures in zip(*rounds))
    print(f"first paint: {own:.0f} ms, of a blank page {blank:.0f} ms, median of the differences "
          f"{more:.0f} ms", flush=True)


CHECKS = [
    ("the walk: every link answers", walk),
    ("/console/ leads to production", redirected),
    ("the policy allows nothing inline but one style sheet", policy),
    ("axe, light", accessible("light")),
    ("axe, dark", accessible("dark")),
    ("320 px: no horizontal scrolling, and cells stay beside their labels", narrow),
    ("times of the browser's zone have heads that say so", local_times),
    ("without JavaScript", without_script),
    (f"pages of at most {MAXIMUM_PAGE_BYTE_COUNT // 1024} KiB", small),
    ("printed", printed),
    ("keyboard: find, help, keys off", found_by_keyboard),
    ("keyboard: rows, sections, evidence, earlier and later", moved_by_keyboard),
    ("keyboard: Tab reaches everything", tabbed),
    ("dots of a line have its colour, light", dots("light")),
    ("dots of a line have its colour, dark", dots("dark")),
    ("an event verifies in the browser", verifies),
    ("a pair verifies, and a sweep says why not", others_verify),
    ("a changed event does not", tampering_shows),
    ("a proof verifies by itself, offline", proof_alone),
    ("first paint is printed", first_paint),
    ("act: link", acts("link")),
    ("act: grant", acts("grant")),
    ("act: note", acts("note")),
    ("act: sent again after a stop", stopped),
    ("a proof with a hostile text verifies, and runs nothing of it", proof_of_hostile_text),
    ("a new event appears by itself", appears_live),
    ("act: erase", erased),
    ("no request leaves the origin", stays_home),
    ("no console error", no_errors),
]


def take_pictures(console, directory):
    """The README's pictures: name-light.png and name-dark.png."""
    os.makedirs(directory, exist_ok=True)
    urls = {
        "customer": console.first("customers", "subscriptions"), "event": signed_event(console),
        "churn": console.home + "reports/churn", "intake": console.home + "intake",
    }
    for scheme in ("light", "dark"):
        page = console.open(color_scheme=scheme, reduced_motion="reduce")
        for name, url in urls.items():
            console.go(page, url)
            if verified(page):
                page.locator("#verify").scroll_into_view_if_needed()
            page.screenshot(path=os.path.join(directory, f"console-{name}-{scheme}.png"))
        page.context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", default="/usr/bin/chromium")
    parser.add_argument("--pages", metavar="N", type=int, default=MAXIMUM_PAGE_COUNT)
    parser.add_argument("--pictures", metavar="DIR")
    parser.add_argument("--only", default="", help="checks whose name contains this, and the walk")
    parser.add_argument("links", nargs="+", metavar="LINK")
    options = parser.parse_args()
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.browser, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        console = Console(browser, options.links)
        console.page_limit = options.pages
        checks = list(CHECKS)
        if options.pictures:
            # Before the acts, which change what the pages show.
            place = [name for name, _ in checks].index("act: link")
            checks.insert(
                place, ("pictures", lambda console: take_pictures(console, options.pictures)))
        for name, check in checks:
            if options.only not in name and check is not walk and name != "pictures":
                continue
            # It measures, which a short walk has no use for.
            if check is first_paint and options.pages < MAXIMUM_PAGE_COUNT:
                continue
            try:
                check(console)
                print(f"ok  {name}", flush=True)
            # A check that cannot finish has failed, whatever the reason.
            except Exception as error:
                failed += 1
                print(f"FAIL {name}: {error}", flush=True)
        browser.close()
    print(f"{len(console.pages)} pages, {failed} failed checks")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
