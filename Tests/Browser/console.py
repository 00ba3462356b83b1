"""The console under test, and the pages a walk found in it."""

import re
from urllib.parse import parse_qsl, urlsplit

WAIT_MILLISECONDS = 15_000
RELOADS = 12
WIDE = {"width": 1200, "height": 800}
# Sections whose next path segment is an id.
IDS = {"customers", "subscriptions", "events", "quarantine", "recoveries", "webhooks"}


class Failure(Exception):
    """Why a check failed."""


def require(holds, why):
    if not holds:
        raise Failure(why)


def template(url):
    """The route of a URL: ids as {id}, the query as its names. The environment and the zone of
    times make no other page."""
    parts = urlsplit(url)
    segments = parts.path.replace("/console/sandbox/", "/console/production/").split("/")
    for index in range(1, len(segments)):
        if segments[index] and segments[index - 1] in IDS:
            segments[index] = "{id}"
    names = ",".join(sorted({name for name, _ in parse_qsl(parts.query)} - {"tz"}))
    return "/".join(segments) + (f"?{names}" if names else "")


class Console:
    """The console under test, and what a walk found in it."""

    def __init__(self, browser, links):
        self.browser = browser
        self.links = links
        parts = urlsplit(links[0])
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.home = self.origin + "/console/production/"
        # URL by template, of `missing` by itself, in the order found; filled by `walk`.
        self.pages = {}
        self.sizes = {}
        # At most so many.
        self.page_limit = 0
        # Of them, those that say that there is no such thing, with status 404.
        self.missing = set()
        # Faults seen by any page opened below.
        self.foreign = []
        self.errors = []

    def open(self, **options):
        """A page in a context of its own that records console errors and foreign requests."""
        context = self.browser.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(WAIT_MILLISECONDS)
        page = context.new_page()

        def asked(request):
            if not request.url.startswith((self.origin + "/", "data:", "blob:", "about:")):
                self.foreign.append(f"{request.url} from {page.url}")

        context.on("request", asked)
        page.on(
            "console",
            lambda message: message.type == "error"
            and message.location.get("url") not in self.missing
            and self.errors.append(f"{message.text} on {page.url}"),
        )
        page.on("pageerror", lambda error: self.errors.append(f"{error} on {page.url}"))
        return page

    def go(self, page, url):
        response = page.goto(url, wait_until="load")
        for _ in range(RELOADS):
            # The answer takes longer than a page waits: the page loads itself again.
            if response is None or response.status != 202:
                break
            with page.expect_navigation(wait_until="load") as reloaded:
                pass
            response = reloaded.value
        wanted = 404 if url in self.missing else 200
        require(response is not None and response.status == wanted, f"{url}: {status(response)}")
        return response

    def first(self, *names):
        """The first URL found whose path ends in an id of one of these sections."""
        for name in names:
            for url in self.links + list(self.pages.values()):
                if url not in self.missing and re.search(
                    rf"/console/[^/]+/{name}/[^/?]+$", url
                ):
                    return url
        raise Failure(f"the walk found no page of {' or '.join(names)}")

    def head(self):
        """The newest position that the log's page names."""
        page = self.open(java_script_enabled=False)
        try:
            self.go(page, self.home + "events")
            positions = [
                int(found.group(1))
                for link in page.locator("main a[href]").all()
                if (found := re.search(r"/events/(\d+)$", link.get_attribute("href") or ""))
            ]
            require(positions, "the log's page links to no event")
            return max(positions)
        finally:
            page.context.close()


def status(response):
    return "no answer" if response is None else str(response.status)
