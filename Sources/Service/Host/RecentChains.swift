import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Signing

/// The certificate chains of a log's newest events. They are verified again when a service starts,
/// so that none of them counts as unknown then: a flood of strange chains delays nothing that Apple
/// signs.
struct RecentChains: Sendable {
    private let ledger: EnvironmentLedger

    /// Newest events that are looked at; verified are as many of them as there are chains.
    static let eventCount: Int64 = 2_000
    /// Receipts have no header that would tell chains apart: so many of the newest are verified.
    static let receiptCount = 8

    init(_ ledger: EnvironmentLedger) { self.ledger = ledger }

    /// Makes them known to a verifier, whose budget is not touched. What cannot be read or does not
    /// verify teaches nothing, and keeps nothing from starting.
    func learn(_ verifier: EvidenceVerifier) async {
        let verifier = verifier.budgeted(by: nil)
        guard let head = try? await ledger.log.head().position else { return }
        var seen: Set<Digest> = []
        var receipts: [LoggedEvent] = []
        var position = max(0, head - RecentChains.eventCount)
        while position < head {
            let page = try? await ledger.log.page(after: position, through: head, damaged: .marked)
            guard let page, let last = page.last else { return }
            position = last.event.position
            for logged in page where logged.event.attributes.trust == .signed {
                if logged.event.attributes.kind == .receipt {
                    receipts.append(logged)
                } else if let hashes = logged.evidence?.headerHashes, !seen.isSuperset(of: hashes),
                    RecentChains.holds(logged, verifier)
                {
                    seen.formUnion(hashes)
                }
            }
            receipts = Array(receipts.suffix(RecentChains.receiptCount))
        }
        for receipt in receipts { _ = RecentChains.holds(receipt, verifier) }
    }

    private static func holds(_ logged: LoggedEvent, _ verifier: EvidenceVerifier) -> Bool {
        Audit.check(logged, Audit.Judge(verifier: verifier)) == .verified
    }
}
