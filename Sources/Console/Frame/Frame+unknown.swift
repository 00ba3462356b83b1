internal import Ledger

extension Frame {
    /// The note about an id of which nothing was received.
    func unknown(_ id: String) -> HTML {
        """
        <section class="verdict unknown">
        <p>– <b>Nothing has been received about this id</b> <bdi class="id">\(id)</bdi> in \
        \(ViewState.name(state.environment)).</p>
        <p>Three things to try:</p>
        <ul>
        <li>Check the id: a customer is named as the app names it (by default its appAccountToken); a \
        purchase by any of its transaction ids or webOrderLineItemIds.</li>
        <li>\(others(id))</li>
        <li>If the purchase is new, or intake was down: \(intake) says what is \
        missing, and <code>subledger api statuses ID</code> asks Apple.</li>
        </ul>
        </section>
        """
    }

    private func others(_ id: String) -> HTML {
        let links = served.filter { $0 != state.environment }.map { other -> HTML in
            var state = self.state
            state.environment = other
            // A position of this log is another one elsewhere.
            if case .knownPosition = state.knowledge { state.knowledge = .everything }
            return "<a href=\"\(state.url(["find"], [("q", id)]))\">\(ViewState.name(other))</a>"
        }
        return links.isEmpty
            ? "It may belong to another environment." : "Look in \(links.joined(", "))."
    }
}
