import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Signing

/// The certificate chains of a log's newest events. They are verified again at service start and so
/// count as known: a flood of unknown certificate chains then does not delay Apple's.
struct RecentChains: Sendable {
    private let ledger: EnvironmentLedger

    /// Newest events that are read; one per certificate chain is verified.
    static let eventCount: Int64 = 2_000
    /// Newest receipts that are verified; they have no header that distinguishes certificate
    /// chains.
    static let receiptCount = 8

    init(_ ledger: EnvironmentLedger) { self.ledger = ledger }

    /// Makes them known to a verifier, which has no budget. Unreadable or unverifiable events are
    /// skipped and do not prevent the start.
    func learn(_ verifier: EvidenceVerifier) async {
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
                    holds(logged, verifier)
                {
                    seen.formUnion(hashes)
                }
            }
            receipts = Array(receipts.suffix(RecentChains.receiptCount))
        }
        for receipt in receipts { _ = holds(receipt, verifier) }
    }

    private func holds(_ logged: LoggedEvent, _ verifier: EvidenceVerifier) -> Bool {
        let judge = Audit.Judge(verifier: verifier, environment: ledger.environment)
        return Audit.check(logged, judge) == .verified
    }
}
