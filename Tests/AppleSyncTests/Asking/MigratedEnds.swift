import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import Testing

/// When access ends according to the ledger at several moments, compared with the simulator's
/// truth.
struct MigratedEnds {
    let ids: [String]

    private static let day: Int64 = 86_400_000

    /// From before the receipts were stored until now.
    private static let moments = [-150, -101, -60, -30, -10, 0].map {
        AskedApple.now.advanced(byMilliseconds: $0 * day)
    }

    /// When renewals were extended, by customer.
    private static let extensions = StatedLives(AskedApple.productionPlan).extensions

    /// Whether Apple's API now reports every extension.
    private static func isReported(_ id: String) -> Bool {
        let kept = NotificationHistory.milliseconds(in: .production)
        return (extensions[id] ?? []).allSatisfy { date in
            date <= AskedApple.now && AskedApple.now.milliseconds(since: date) < kept - day
        }
    }

    /// For each customer, the reported and the true end, where they differ.
    func wrong(_ place: TemporaryLedger) async throws -> [String: String] {
        var wrong: [String: String] = [:]
        var extended: Set<String> = []
        let knowable = ids.filter { MigratedEnds.isReported($0) && isKnowable($0) }
        for moment in MigratedEnds.moments {
            var reported: [String: String] = [:]
            for line in try await place.exportLines(.subscriptions, at: moment) {
                guard let id = line["originalTransactionId"]?.string else { continue }
                reported[id] = line["accessUntil"]?.string ?? "none"
            }
            for id in knowable {
                guard let truth = accessEnd(of: id, at: moment) else { continue }
                if MigratedEnds.extensions[id] != nil { extended.insert(id) }
                let said = reported[id] ?? "nothing"
                // A future end may be shortened by a later upgrade or refund.
                let agrees = truth.isPast ? said == truth.end : said >= truth.end
                if !agrees { wrong[id] = "\(moment.rfc3339): \(said) for \(truth.end)" }
            }
        }
        #expect(!extended.isEmpty)
        return wrong
    }

    /// Whether receipts, transactions and statuses contain the whole life: they include neither
    /// temporary payment failures nor reversed refunds.
    private func isKnowable(_ id: String) -> Bool {
        var moment = AskedApple.now
        while let truth = StoredReceipts.reported.truth(of: id, at: moment) {
            switch truth.state {
            case .grace, .billingRetry: return false
            case .revoked where truth.to != nil: return false
            default: moment = truth.from.advanced(byMilliseconds: -1)
            }
        }
        return true
    }

    /// The end of the unbroken access at a moment, "none" without any; for a current period its
    /// end. Nil for permanent purchases.
    private func accessEnd(
        of id: String, at moment: Timestamp
    ) -> (end: String, isPast: Bool)? {
        guard var truth = StoredReceipts.reported.truth(of: id, at: moment) else { return nil }
        guard truth.state.isEntitled else { return ("none", true) }
        while truth.state.isEntitled {
            guard let end = truth.to else { return nil }
            guard end <= AskedApple.now else { return (end.rfc3339, false) }
            guard let next = StoredReceipts.reported.truth(of: id, at: end), next.from == end else {
                return nil
            }
            truth = next
        }
        return (truth.from.rfc3339, true)
    }
}
