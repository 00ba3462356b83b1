package import AppStore
package import Ledger
package import LedgerStore
package import Projection
internal import Queries

/// What surrounds the content of every page: state, viewer, and the position and completeness of
/// the answer.
package struct Frame: Sendable {
    package var state: ViewState
    package let viewer: Viewer
    /// The environments that are served, in order.
    package let served: [Environment]
    package var assets: [ConsoleAsset] = [.behaviour]
    package let reportZone: ReportZone
    package let now: Timestamp
    /// Whether one id may belong to chains of several apps.
    package var hasSeveralApps = false
    /// Whether pages offer proofs as files.
    package var hasProofs = false
    /// The apps with an API key.
    package var appsWithKey: Set<BundleId> = []
    /// The address of the page, without the state.
    package let path: [String]
    /// Parameters of the page besides the state; its links to itself in another state keep them.
    package var kept: [(String, String?)] = []
    /// The place at which its list begins; only a link that changes the time zone alone keeps it.
    package var place: [(String, String?)] = []
    /// The position of the event that an act has just appended.
    package var done: Int64?
    /// False where the log could not be read to check that `done` is a recent decision.
    package var isDoneChecked = true
    /// The position that the answer after a look-up includes at least; `done` has precedence.
    package var minPosition: Int64?
    /// The entitlement that the act has just granted, where no product of the catalogue has it.
    package var unlisted: String?
    /// What an operator's act has just done.
    package var result: OperatorForm.Result?
    /// Whether the page compares what was known then with what is known now.
    package var comparesWithNow = false
    /// Of the form on the page: unique to it, so that sending it twice acts once.
    package var key = ""
    /// The fields of the form, as first shown or as typed.
    package var values: [String: String] = [:]
    /// Why the form was not accepted.
    package var failure: String?
    package var position: Int64?
    /// Positions of the log beyond it.
    package var lag: Int64 = 0
    /// Seconds for which the shared log could not be read; nil while it can.
    package var ageSeconds: Int64?
    /// Why this node does not follow it; nil while it does.
    package var logFailure: StoreError?
    /// Nil: not confirmed.
    package var complete: CompleteWindow?
    /// Whether an app of the page is not configured, and nothing of it known to be complete.
    package var isUnchecked = false
    /// Whether the page states what is complete.
    package var saysComplete = false

    package init(
        state: ViewState, viewer: Viewer, served: [Environment], reportZone: ReportZone,
        now: Timestamp, path: [String]
    ) {
        self.state = state
        self.viewer = viewer
        self.served = served
        self.reportZone = reportZone
        self.now = now
        self.path = path
    }

    /// The same for a page that shows the present only.
    package var present: Frame {
        var frame = self
        frame.state.at = nil
        frame.state.knowledge = .everything
        return frame
    }

    /// The same for a page that states its own period of time, which no moment limits.
    package var ofPeriod: Frame {
        var frame = self
        frame.state.at = nil
        return frame
    }

    /// The same for an answer, which may have waited for an event since the frame was made. The
    /// position of an answer of earlier knowledge does not change.
    func of(_ stamp: AnswerStamp) -> Frame {
        var frame = self
        (frame.complete, frame.saysComplete) = (stamp.complete, true)
        frame.isUnchecked = stamp.isUnchecked
        guard state.knowledge == .everything, let position else { return frame }
        (frame.lag, frame.position) = (max(0, position + lag - stamp.position), stamp.position)
        return frame
    }

    // MARK: Failures of the log

    static let away: HTML = "<b>The database cannot be reached.</b>"

    /// What an operator does about a log that went back.
    static let wentBackAdvice: HTML = """
        Find out which server was promoted, or accept the log (<code>subledger log accept</code>).
        """

    /// Why this node does not follow the log although the database can be reached.
    var obstacle: HTML? {
        switch logFailure?.code {
        case nil, .databaseUnavailable: nil
        case .logWentBack:
            """
            <b>The log lacks events that this node has seen.</b> \(logFailure?.reason ?? "") \
            \(Frame.wentBackAdvice)
            """
        case let code?: "<b>This node cannot follow the log (\(code.rawValue)).</b>"
        }
    }

    // MARK: Links

    package func url(_ path: String..., query: [(String, String?)] = []) -> String {
        state.url(path, query)
    }

    /// The address of this page in a state, with its parameters and the state's app.
    func own(_ state: ViewState, _ query: [(String, String?)] = []) -> String {
        state.url(path, query + kept + [("bundleId", state.bundleId?.rawValue)])
    }

    /// The value of a kept parameter; nil where it is absent.
    package func asked(_ name: String) -> String? { kept.first { $0.0 == name }.flatMap(\.1) }

    /// The row that its table begins with, if the address states one.
    var firstRow: Int? { place.first { $0.0 == "row" }.flatMap(\.1).flatMap { Int($0) } }

    /// The address that a form of the page is sent to, with the app of the chain that it is about.
    var formAddress: String { state.url(path, [("bundleId", state.bundleId?.rawValue)]) }

    /// The app of a chain; nil where one app alone is configured.
    func app(_ id: ChainId) -> String? { hasSeveralApps ? id.bundleId.rawValue : nil }

    func link(_ text: String, _ path: String..., key: String? = nil) -> HTML {
        let shortcut: HTML = key.map { " data-key=\"\($0)\"" } ?? ""
        return "<a href=\"\(state.url(path))\"\(shortcut)>\(text)</a>"
    }

    /// A link to the form of an act, for those who may operate, where the act is offered.
    func act(_ text: String, _ path: String..., if isOffered: Bool = true) -> HTML {
        viewer.operates && isOffered
            ? "<p class=\"acts\"><a href=\"\(state.url(path))\">\(text)</a></p>" : ""
    }

    /// Links to the forms of decisions about a person, and of an erasure; none in the past.
    func acts(_ decisions: [(name: String, title: String)], _ path: String...) -> HTML {
        guard !state.isHistoric else { return "" }
        var acts = viewer.decides ? decisions : []
        if viewer.operates { acts.append(("erase", "Erase this person's data")) }
        let links = acts.map { act -> HTML in
            "<a href=\"\(state.url(path + [act.name]))\">\(act.title)</a>"
        }
        return links.isEmpty ? "" : "<p class=\"acts\">\(links.joined(" "))</p>"
    }

    /// `Intake`, leading there for those who may see it.
    var intake: HTML {
        viewer.seesOperation ? link("Intake", "intake") : "Intake, which operators see,"
    }

    /// A text, leading to a page that names people for those who may see it.
    func personal(_ text: HTML, _ path: String...) -> HTML {
        viewer.seesPeople ? "<a href=\"\(state.url(path))\">\(text)</a>" : text
    }

    /// `#13`, leading to the event for those who may see it.
    func event(_ position: Int64) -> HTML {
        guard viewer.seesPeople else { return "<span class=\"id\">#\(position)</span>" }
        return
            "<a class=\"id\" href=\"\(url("events", String(position)))\">#\(position)</a>"
    }

    /// - Parameter omitted: further events, which are counted without their positions.
    func events(
        _ positions: [Int64], upTo limit: Int = shownEventCount, omitted: Int = 0
    ) -> HTML {
        let shown = positions.prefix(limit).map { event($0) }.joined(" ")
        let rest = max(0, positions.count - limit) + omitted
        return rest > 0 ? shown + " and \(rest) more" : shown
    }

    /// Maximum positions listed in one place.
    static let shownEventCount = 12

    /// A chain; where several apps are configured, of its app.
    func chain(_ id: ChainId) -> HTML {
        let address = url(
            "subscriptions", id.originalTransactionId.rawValue, query: [("bundleId", app(id))])
        return "<a class=\"id\" href=\"\(address)\"><bdi>\(id.originalTransactionId)</bdi></a>"
    }

    func customer(_ id: CustomerId) -> HTML {
        "<a class=\"id\" href=\"\(url("customers", id.rawValue))\"><bdi>\(id)</bdi></a>"
    }

    // MARK: Times

    /// A moment in the zone of the page, exact in its title.
    func time(_ moment: Timestamp) -> HTML {
        let exact = moment.rfc3339
        return "<time datetime=\"\(exact)\" title=\"\(exact)\">\(text(moment))</time>"
    }

    func time(_ moment: Timestamp?) -> HTML { moment.map { time($0) } ?? "–" }

    /// A moment as text, to the second, with its offset in a zone other than UTC.
    package func text(_ moment: Timestamp) -> String {
        let time = state.zone == .report ? reportZone.time(moment) : moment.rfc3339
        let offset = time.hasSuffix("Z") ? "" : time.suffix(6)
        return "\(time.prefix(10)) \(time.dropFirst(11).prefix(8))\(offset)"
    }

    /// The name of the zone of the page's times.
    var zoneName: String { state.zone == .report ? reportZone.name : "UTC" }

    /// Longest list of a page.
    package static let rowCount = 50

    /// The end of what a report counts.
    var limit: Timestamp {
        if case .knownAt(let time) = state.knowledge { return time }
        return now
    }

    /// Where reports begin unless the address says so: a year before the end of what they count.
    package var usualFrom: String { ViewState.yearBack(min(limit, now)) }

    /// A text with its moments (RFC 3339) in the zone of the page.
    func timed(_ text: String) -> HTML {
        var (html, place) = (HTML(), text.startIndex)
        for found in text.matches(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) {
            guard let moment = Timestamp(rfc3339: String(found.output)) else { continue }
            html += "\(String(text[place..<found.range.lowerBound]))\(time(moment))"
            place = found.range.upperBound
        }
        return html + "\(String(text[place...]))"
    }

    /// Links to the file that proves what a page shows; nothing where no key signs the log, and
    /// for what was known by a time: a file proves what was known by a position. Without
    /// `download`, which would save a refusal, or the sign-in page, as the proof.
    func proof(_ path: String...) -> HTML {
        guard hasProofs, state.knowledge.knownAt == nil else { return "" }
        let address = state.url(path + ["bundle"])
        let page = state.url(path + ["bundle"], [("html", "true")])
        return """
            <span class="acts"><a href="\(address)">Proof</a> \
            <a href="\(page)">Proof as a page</a></span>
            """
    }
}
