internal import AppStore
internal import Ledger
internal import Projection

/// One page: its title and content, within its frame.
package struct Page: Sendable {
    package let title: String
    package let frame: Frame
    private let heading: HTML
    package let content: HTML

    /// - Parameter heading: nil: the title.
    package init(_ title: String, _ frame: Frame, heading: HTML? = nil, _ content: HTML) {
        self.title = title
        self.frame = frame
        self.heading = heading ?? "\(title)"
        self.content = content
    }

    /// The document.
    package var html: String {
        let historic: HTML = frame.state.isHistoric ? " class=\"frame-historic\"" : ""
        let document: HTML = """
            <!doctype html>
            <html lang="en" data-tz="\(frame.state.zone.rawValue)">
            <head>
            <meta charset="utf-8">
            <title>\(title) · Subledger</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            \(ConsoleStyle.element)
            \(assets)
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            \(header)
            <main id="main"\(historic)>
            \(banners)
            <h1>\(heading)</h1>
            \(HTML.failure(frame.failure))
            \(content)
            </main>
            \(footer)
            </body>
            </html>

            """
        return document.text
    }

    private var assets: HTML {
        let scripts = frame.assets.map { asset -> HTML in
            "<script type=\"module\" src=\"\(asset.path)\"></script>\n"
        }
        return "\(scripts)<link rel=\"icon\" href=\"\(ConsoleAsset.icon.path)\">\n"
    }

    private var header: HTML {
        let others = frame.served.map { environment -> HTML in
            var state = ViewState(environment: environment)
            state.zone = frame.state.zone
            let current: HTML =
                environment == frame.state.environment ? " aria-current=\"true\"" : ""
            let name = ViewState.name(environment)
            return "<a href=\"\(state.url())\"\(current)>\(name)</a>"
        }
        let account: HTML =
            frame.viewer.name.map { name -> HTML in
                guard frame.viewer.hasSession else { return "<bdi>\(name)</bdi>" }
                return """
                    <form method="post" action="/console/sign-out"><button>Sign out \(name)</button></form>
                    """
            } ?? ""
        return """
            <header class="bar">
            <a class="brand" href="\(frame.url())" data-key="g c">Subledger</a>
            \(find)
            <nav aria-label="Sections">\(sections)</nav>
            <nav class="environments" aria-label="Environments">\(others.joined(" "))</nav>
            \(account)
            </header>
            """
    }

    private var find: HTML {
        guard frame.viewer.seesPeople else { return "" }
        return """
            <form class="find" action="\(frame.state.url(["find"]))" method="get" role="search">
            \(Page.hidden(frame.state, but: ["bundleId"]))<label for="q">Find</label>
            <input id="q" name="q" value="\(HTML(field: frame.asked("q") ?? ""))" maxlength="256" data-key="/"
            placeholder="customer, transaction, #position" autocomplete="off" spellcheck="false">
            </form>
            """
    }

    /// The state as hidden fields of a form.
    static func hidden(_ state: ViewState, but left: Set<String> = []) -> HTML {
        hidden(state.parameters.filter { !left.contains($0.0) })
    }

    /// Parameters as hidden fields of a form; nil values are left out.
    static func hidden(_ parameters: [(String, String?)]) -> HTML {
        parameters.compactMap { name, value -> HTML? in
            value.map {
                "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTML(field: $0))\">\n"
            }
        }.joined("")
    }

    private var sections: HTML {
        var frame = frame
        // The app of a chain is not that of reports.
        if frame.path.first != "reports" { frame.state.bundleId = nil }
        let viewer = frame.viewer
        let all = [
            ("Events", "events", "g e", viewer.seesPeople),
            ("Intake", "intake", "g i", viewer.seesOperation),
            ("Reports", "reports", "g r", viewer.seesReports),
            ("Decisions", "decisions", "g d", viewer.seesPeople),
            ("Audit", "audit", "g a", viewer.seesOperation), ("Help", "help", "?", true),
        ]
        return all.filter(\.3).map { frame.link($0.0, $0.1, key: $0.2) }.joined(" ")
    }

    // MARK: Banners

    private var banners: HTML {
        var parts = HTML()
        if let done = frame.done, frame.isDoneChecked {
            parts += """
                <p class="banner info" role="status">Done: it is event \(frame.event(done)), and stands \
                in the timeline for ever.</p>
                """
        }
        if let name = frame.unlisted {
            parts += """
                <p class="banner warn" role="status">No product of the catalogue has the entitlement \
                <b>\(name)</b>: check its spelling. The grant holds all the same.</p>
                """
        }
        if let result = frame.result {
            parts += "<p class=\"banner info\" role=\"status\">\(result.text)</p>"
        }
        if let seconds = frame.ageSeconds {
            parts += """
                <p class="banner warn" role="status">\(frame.obstacle ?? Frame.away) These answers are \
                \(seconds) s old.</p>
                """
        } else if let obstacle = frame.obstacle {
            parts += "<p class=\"banner warn\" role=\"status\">\(obstacle)</p>"
        }
        if frame.lag > 0, frame.ageSeconds == nil || frame.obstacle != nil {
            let events: HTML = frame.lag == 1 ? "1 event is" : "\(frame.lag) events are"
            parts += "<p class=\"banner warn\" role=\"status\">\(events) not included yet.</p>"
        }
        // A form is about what it names, whose app it keeps.
        if let app = frame.state.bundleId, frame.key.isEmpty,
            frame.path.first == "reports" || frame.path.count < 3
        {
            var all = frame.state
            all.bundleId = nil
            parts += """
                <p class="banner info">Only of app \(app). \
                <a href="\(frame.own(all))">All apps</a></p>
                """
        }
        if frame.state.isHistoric { parts += historic }
        if frame.saysComplete, frame.isUnchecked {
            parts += """
                <p class="banner warn">An app of this page is not configured: whether everything that \
                Apple sent for it is here is not known.</p>
                """
        } else if frame.saysComplete, frame.complete == nil {
            parts += """
                <p class="banner warn">Completeness is not confirmed: something that Apple sent may \
                be missing. \(frame.intake) says what to do.</p>
                """
        } else if frame.saysComplete, let complete = frame.complete {
            parts += """
                <p class="banner info">Complete from \(frame.time(complete.from)) through \
                \(frame.time(complete.through)).</p>
                """
        }
        return parts
    }

    private var historic: HTML {
        var present = frame.state
        present.at = nil
        present.knowledge = .everything
        let moment: HTML = frame.state.at.map { "as of \(frame.time($0))" } ?? "as of now"
        let known: HTML =
            switch frame.state.knowledge {
            case .everything: "with all that is known today"
            case .knownAt(let time): "as known on \(frame.time(time))"
            case .knownPosition(let position): "as known at position \(position)"
            }
        let view: HTML =
            frame.comparesWithNow
            ? "<b>A comparison</b> of figures \(known) with those known now."
            : "<b>\(viewName)</b>, \(moment), \(known). Nothing can be changed here."
        return """
            <p class="banner historic" role="status">\(view) \
            <a href="\(frame.own(present))">Back to the present</a></p>
            """
    }

    private var viewName: String {
        if let at = frame.state.at {
            return at > frame.now ? "A view of the future" : "A view of the past"
        }
        return isKnowledgeAhead ? "A view beyond the present" : "A view of the past"
    }

    /// Whether what is known now is all that the view selects, until more arrives.
    private var isKnowledgeAhead: Bool {
        switch frame.state.knowledge {
        case .everything: false
        case .knownAt(let time): time > frame.now
        case .knownPosition(let last): frame.position.map { last > $0 + frame.lag } ?? false
        }
    }

    private var footer: HTML {
        let position: HTML = frame.position.map { "position \($0) · " } ?? ""
        let zones = ViewState.Zone.allCases.map { zone -> HTML in
            var state = frame.state
            state.zone = zone
            let current: HTML = zone == frame.state.zone ? " aria-current=\"true\"" : ""
            let name = zone == .report ? "report (\(frame.reportZone.name))" : zone.rawValue
            return "<a href=\"\(frame.own(state, frame.place))\"\(current)>\(name)</a>"
        }
        return """
            <footer>\(position)\(ViewState.name(frame.state.environment)) · times in \
            \(zones.joined(" "))</footer>
            """
    }
}
