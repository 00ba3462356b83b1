internal import AppStore
package import Ledger
package import Queries

/// What was found, where it is not exactly one thing.
package struct FindPage {
    let frame: Frame

    package init(_ frame: Frame) { self.frame = frame }

    /// Without a text.
    package var empty: Page {
        Page(
            "Find", frame,
            """
            <p>Type a customer, a transaction, an original transaction, a webOrderLineItemId, a \
            notificationUUID, or a position as #13.</p>
            """)
    }

    package func nothing(for text: String) -> Page {
        Page("Find", frame, frame.unknown(text))
    }

    /// A subscription without a state then; the field leads to another time.
    package func stateless(_ id: String, _ why: String) -> Page {
        Page(
            "Subscription \(id)", frame, heading: "Subscription <bdi class=\"id\">\(id)</bdi>",
            """
            \(frame.knowledgeForm)
            <p class="banner warn">\(why)</p>
            """)
    }

    /// The address of the only exact match; nil where there are several, or none.
    package func address(_ answer: SearchAnswer) -> String? {
        guard answer.isExact, answer.matches.count == 1, let match = answer.matches.first else {
            return nil
        }
        return address(match, answer)
    }

    private func address(_ match: SearchMatch, _ answer: SearchAnswer) -> String {
        frame.state.url(of: match, in: answer, app: match.chain.flatMap { frame.app($0) })
    }

    package func page(_ answer: SearchAnswer) -> Page {
        guard !answer.matches.isEmpty else {
            guard answer.mayBeOrderId else { return nothing(for: answer.text) }
            return Page("Find", frame, order(answer.text))
        }
        let table = RowTable(label: "Found", heads: ["Found", "As", "Of"])
        let rows = answer.matches.map { match -> HTML in
            table.row([
                "<a class=\"id\" href=\"\(address(match, answer))\"><bdi>\(match.id)</bdi></a>",
                match.kind == .webOrderLineItem ? "webOrderLineItemId" : "\(match.kind.rawValue)",
                match.chain.map { "\($0.bundleId), \($0.originalTransactionId)" } ?? "",
            ])
        }
        let more: HTML =
            answer.hasMore ? "<p class=\"muted\">There are more: type more of it.</p>" : ""
        return Page(
            "Find", frame,
            """
            <p>\(answer.isExact ? "Several things have this id." : "Nothing has exactly this id. These begin with it:")</p>
            \(table.html(rows, empty: ""))
            \(more)
            """)
    }

    /// Several chains under one id, of several apps or of one: each by its own id.
    package func page(several chains: [ChainId]) -> Page {
        let items = chains.map { chain -> HTML in
            let (id, app) = (chain.originalTransactionId, chain.bundleId)
            let address = frame.url(
                "subscriptions", id.rawValue, query: [("bundleId", app.rawValue)])
            return "<li data-row><a href=\"\(address)\">\(id) of \(app)</a></li>"
        }
        return Page("Find", frame, "<p>Several purchases have this id:</p><ul>\(items)</ul>")
    }

    private func order(_ text: String) -> HTML {
        let ask: HTML =
            frame.viewer.operates && !frame.appsWithKey.isEmpty
                && frame.state.environment == .production
            ? "<a href=\"\(frame.url("orders", text))\">Ask Apple</a>"
            : "<code>subledger api order \(text)</code> asks it"
        return """
            <section class="verdict unknown"><p>– <b>This may be the order id of a customer's receipt</b> \
            from Apple. The ledger does not know these.</p>
            <p>Apple does, in Production only: \(ask) (1 request); what it answers is kept.</p></section>
            """
    }
}

extension ViewState {
    /// The address of the page of a match.
    ///
    /// - Parameter app: of its chain, where the page must name it.
    package func url(of match: SearchMatch, in answer: SearchAnswer, app: String?) -> String {
        let app = [("bundleId", app)]
        let chain = match.chain?.originalTransactionId.rawValue ?? match.id
        // An id of several chains of one app leads to none of them, or to another one.
        let isShared =
            answer.matches.count {
                $0.id == match.id && $0.chain?.bundleId == match.chain?.bundleId
            } > 1
        return switch match.kind {
        case .customer: url(["customers", match.id])
        case .subscription, .transaction:
            url(["subscriptions", isShared ? chain : match.id], app)
        case .webOrderLineItem: url(["subscriptions", chain], app)
        case .event, .notification: url(["events", match.position.map(String.init) ?? match.id])
        }
    }
}
