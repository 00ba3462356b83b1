internal import AppStore

/// Pages that need no ledger: help, signing in, and what went wrong.
package enum PlainPages {
    package static func help(_ frame: Frame) -> Page {
        let keys: [(String, String)] = [
            ("/", "find"), ("Ctrl K, ⌘ K", "find, also when the other keys are off"),
            ("j, k", "next and previous row"), ("Enter", "open the row"),
            ("e", "evidence: the raw bytes, on the page of an event"),
            ("t", "as known at"), ("[, ]", "a day earlier, a day later"),
            ("g c", "customers: the first page"), ("g e", "events"), ("g i", "intake"),
            ("g r", "reports"), ("g d", "decisions"), ("g a", "audit"), ("?", "this page"),
        ]
        let rows = keys.map { key, meaning -> HTML in
            "<tr><td><kbd>\(key)</kbd></td><td>\(meaning)</td></tr>\n"
        }
        return Page(
            "Help", frame,
            """
            <h2>What the words mean</h2>
            <dl class="fields">
            <dt>#13</dt><dd>an event: the thirteenth thing that was received and kept for ever</dd>
            <dt>rests on</dt><dd>the events that decide an answer; each leads to Apple's signed bytes</dd>
            <dt>as known at</dt><dd>the answer that was right with what had arrived by then</dd>
            <dt>gap</dt><dd>something that should have arrived, and did not</dd>
            <dt>complete through</dt><dd>everything that Apple sent until then is here, checked with Apple</dd>
            <dt>grace, billing retry</dt><dd>a payment failed: with access, and without</dd>
            </dl>
            <h2>Keys</h2>
            <p><label><input type="checkbox" id="keys" checked> Single-key shortcuts</label></p>
            <table class="rows"><tbody>
            \(rows)</tbody></table>
            """)
    }

    /// The form that takes a token.
    ///
    /// - Parameters:
    ///   - failure: why the last attempt failed.
    ///   - next: the address that follows, with `draft` where a form's text was kept.
    package static func signIn(_ frame: Frame, failure: String?, next: String) -> Page {
        let kept: HTML =
            next.contains("draft=")
            ? """
            <p class="banner info">The session ended before the form was sent. Its text is kept, and \
            shown again once you have signed in.</p>
            """ : ""
        return Page(
            "Sign in", frame,
            """
            \(kept)\(HTML.failure(failure))
            <form class="act" method="post" action="/console/sign-in" data-once>
            <input type="hidden" name="next" value="\(next)">
            <label for="token">Access token</label>
            <input id="token" name="token" type="password" autocomplete="current-password" required \
            maxlength="4096">
            <p class="muted">One of the tokens under <code>server.tokens</code>. It is not kept: the \
            session lasts 12 hours, or 30 minutes without a request.</p>
            <button>Sign in</button>
            </form>
            """)
    }

    /// Seconds after which a page whose answer is being made loads itself again.
    package static let waitingSeconds = 2

    /// A page whose answer is being made.
    ///
    /// - Parameter progress: the events read, and those to read; nil before the first.
    package static func waiting(_ frame: Frame, _ progress: (done: Int64, total: Int64)?) -> Page {
        let bar: HTML =
            progress.map { done, total in
                """
                <p><progress aria-label="events read" max="\(max(total, 1))" \
                value="\(done)"></progress> \(done) of \(total.named("event", "events")) \
                read</p>
                """
            } ?? ""
        return Page(
            "Being computed", frame,
            """
            \(bar)<p role="status">This report reads many events. The page loads itself again every \
            \(waitingSeconds) s until it is ready, without delaying other pages; \
            <a href="">reload</a>.</p>
            """)
    }

    /// A page that cannot be answered: what happened, and what to do.
    package static func problem(
        _ frame: Frame, status: Int, code: String, detail: String, retrySeconds: Int?
    ) -> Page {
        let retry: HTML =
            retrySeconds.map { seconds in
                "<p>Try again in \(seconds) s: <a href=\"\">reload</a>.</p>"
            } ?? ""
        return Page(
            "\(status) \(code)", frame, heading: "\(code)",
            """
            \(HTML.failure(detail))
            \(retry)<p class="muted">Status \(status), code <code>\(code)</code>.</p>
            """)
    }
}
