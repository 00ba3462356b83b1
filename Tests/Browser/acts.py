"""Acts through the console: forms sent once, twice, again, and from elsewhere."""

import re
from urllib.parse import unquote

from console import WAIT_MILLISECONDS, Failure, require


def fill(page):
    """Fills every visible field of the form by its name or kind."""
    values = {"actor": "sara", "by": "sara", "reason": "seen by the browser test",
              "note": "a note of the browser test", "text": "a note of the browser test",
              "customer": "user-browser", "until": "2099-01-01T00:00:00Z",
              "end": "2099-01-01T00:00:00Z"}
    form = page.locator("form.act").first
    for field in form.locator("input, textarea, select").all():
        kind = field.get_attribute("type") or ""
        if kind in ("hidden", "checkbox", "radio", "submit") or not field.is_visible():
            continue
        if field.evaluate("one => one.tagName") == "SELECT":
            options = field.locator("option:enabled").evaluate_all(
                "all => all.map(one => one.value).filter(value => value)")
            field.select_option(options[0])
        elif not field.input_value():
            name = (field.get_attribute("name") or "").lower()
            field.fill(values.get(name, "browser-test"))
    return form


def act_page(console, page, name):
    """Opens the form page of an act from a customer's or a subscription's page."""
    # A link asks for the customer first; a chain that was linked is erased by its own id.
    kinds = ("customers", "subscriptions")
    if name in ("link", "erase"):
        kinds = kinds[::-1]
    for url in map(console.first, kinds):
        console.go(page, url)
        link = page.locator("main .acts a").filter(has_text=re.compile(name, re.I))
        if link.count():
            link.first.click()
            page.wait_for_load_state()
            require(page.locator("form.act").count(), f"{page.url} has no form.act")
            return
    raise Failure(f"no page offers {name!r}")


def send(page, clicks):
    """Sends the form, and its confirmation if there is one; returns the last POST."""
    posts = []
    page.on("request", lambda request: request.method == "POST" and posts.append(request))
    for _ in range(2):
        button = fill(page).locator("button[type=submit], button:not([type])").last
        with page.expect_navigation():
            button.click(click_count=clicks)
        page.wait_for_load_state()
        if posts and posts[-1].response().status == 303:
            break
    require(posts, "nothing was sent")
    return posts[-1]


def stopped(console):
    """A form that leads nowhere is sent again under its key, but not at once."""
    page = console.open()
    page.clock.install()
    act_page(console, page, "note")
    keys = []

    def nowhere(route):
        if route.request.method != "POST":
            return route.continue_()
        keys.append(re.search(r"key=([^&]*)", route.request.post_data)[1])
        # The browser stays on the page, as after its Stop.
        return route.fulfill(status=204)

    page.route("**/note*", nowhere)
    button = fill(page).locator("button").last
    for wanted in (1, 1, 2):
        if wanted == 2:
            page.clock.run_for(10_000)
        button.evaluate("button => button.click()")
        page.wait_for_timeout(500)
        require(len(keys) == wanted, f"{len(keys)} requests, not {wanted}")
    require(len(set(keys)) == 1, f"the keys are {keys}")
    page.context.close()


def acts(name):
    def check(console):
        page = console.open()
        act_page(console, page, name)
        before = console.head()
        post = send(page, clicks=2)
        answer = post.response()
        require(answer.status == 303, f"the POST answers {answer.status}, not 303")
        head = console.head()
        require(head == before + 1, f"pressed twice, it made {head - before} events")
        named = re.findall(r"#([\d,]+)", page.locator("main").inner_text())
        require(str(head) in [one.replace(",", "") for one in named],
                f"{page.url} does not name #{head}")
        headers = {**post.headers, "origin": console.origin, "sec-fetch-site": "same-origin"}
        again = page.request.post(
            post.url, data=post.post_data_buffer, headers=headers, max_redirects=0)
        require(again.status < 500, f"the same POST again answers {again.status}")
        page.reload()
        page.go_back()
        page.wait_for_load_state()
        require(page.locator("main").inner_text().strip(), "after going back the page is empty")
        button = page.locator("form.act button").last
        if page.locator("form.act input[name=key]").count():
            require(button.is_enabled(), "after going back the button is disabled")
            with page.expect_navigation():
                button.click()
        require(console.head() == head, "sent again, reloaded or gone back, it made another event")
        refused = page.request.post(
            post.url, data=post.post_data_buffer, max_redirects=0,
            headers={**post.headers, "origin": "https://elsewhere.example",
                     "sec-fetch-site": "cross-site"})
        require(400 <= refused.status < 500, f"from another site it answers {refused.status}")
        page.context.close()

    return check


def erased(console):
    """Erasing takes a reason and the typed id; then the id answers nowhere, and a tombstone's page
    still proves its place in the log."""
    page = console.open()
    act_page(console, page, "erase")
    target = page.url.split("/erase")[0]
    id = unquote(target.rstrip("/").split("/")[-1])
    fill(page)
    page.locator("form.act button").last.click()
    page.wait_for_load_state()
    positions = re.findall(r"#(\d+)", page.locator("main").inner_text().replace(",", ""))
    require(positions, "the plan names no event")
    for text, status in (("no such id", 400), (id, 303)):
        page.locator("form.act input[name=confirm]").fill(text)
        with page.expect_response(lambda one: one.request.method == "POST") as answer:
            page.locator("form.act button").last.click()
        require(answer.value.status == status, f"{text!r} is answered {answer.value.status}")
        page.wait_for_load_state()
    require("erasure" in page.locator("main").inner_text().lower(), "no page of the erasure")
    console.errors[:] = [one for one in console.errors if "400" not in one]
    # Answers follow once derived data is built again.
    for _ in range(WAIT_MILLISECONDS // 100):
        gone = page.request.get(target)
        if gone.status == 404:
            break
        page.wait_for_timeout(100)
    require(gone.status == 404, f"the erased page answers {gone.status}")
    console.go(page, f"{console.home}events/{positions[0]}")
    text = page.locator("main").inner_text()
    require("erased" in text and id not in text, "the event does not say that it was erased")
    page.wait_for_selector("#verify[data-state]:not([data-state=running])")
    state = page.locator("#verify").get_attribute("data-state")
    require(state != "no", f"the place of the tombstone is {state}")
    page.context.close()
