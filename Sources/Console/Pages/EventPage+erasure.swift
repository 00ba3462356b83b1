internal import AppStore
internal import Ledger
internal import LedgerStore
internal import Queries

extension EventPage {
    /// Positions of an erasure that are links.
    static let erasedLinkCount = 100

    /// What an erasure did, in plain words; nothing for other events.
    var erasure: HTML {
        guard detail.event.attributes.kind == .erasure, let evidence = detail.evidence,
            let erasure = Erasure(evidence: evidence)
        else { return "" }
        let shown = erasure.positions.prefix(EventPage.erasedLinkCount).map { frame.event($0) }
        let more = erasure.positions.count - shown.count
        let rest: HTML = more > 0 ? " and \(more) more" : ""
        return """
            <section class="verdict unknown">
            <p>A person's data was erased: the evidence of \(erasure.positions.count) events.</p>
            <p class="rests">By \(Command.author(erasure.actor, erasure.tokenName)): \(erasure.reason)</p>
            <p class="rests">Erased: \(shown.joined(" "))\(rest). The hashes of these events remain, so \
            every proof holds; what they stated is below under random ids, so every figure stays.</p>
            </section>
            """
    }
}
