import AppStore
import Ledger
import Synchronization

/// Maximum events that uploads about one chain may add to the log in a day (UTC). The owner of one
/// genuine purchase can have it signed again at will, and each signature is another event; it may
/// close a revocation, so none is dropped as a duplicate. Receipts without purchases, which any
/// customer can have signed again too, count for the buyer of the app. Requests to Apple about a
/// receipt that add events count as one, also for a duplicate. Deliveries from Apple and other
/// duplicates do not use this budget.
///
/// Held in memory; a restart resets it.
final class UploadBudget: Sendable {
    /// Events that uploads about one chain may add in a day: transactions, receipts, rounds of
    /// requests and claims. An app that uploads the current transaction at each launch adds one
    /// whenever Apple has signed it again.
    static let eventCountPerDay = 100
    /// Chains counted in one day, 32 bytes each or less; further chains of that day are not
    /// counted.
    static let chainCount = 1_000_000

    private let state = Mutex(State())

    private struct State {
        var day: Int64 = .min
        /// Keyed by hash, since ids may be long; two chains that collide share a budget.
        var counts: [Int: UInt16] = [:]
    }

    /// Takes one event from the chain's budget; false when it is exhausted.
    func take(_ chain: ChainId, _ environment: Environment, at now: Timestamp) -> Bool {
        let subject = UploadBudget.subject(chain, environment)
        return state.withLock { state in
            UploadBudget.beginDay(now, &state)
            guard let count = state.counts[subject] else {
                if state.counts.count < UploadBudget.chainCount { state.counts[subject] = 1 }
                return true
            }
            guard count < UploadBudget.eventCountPerDay else { return false }
            state.counts[subject] = count + 1
            return true
        }
    }

    /// Returns what was taken at `now` for an event that was not written; nothing once the day has
    /// ended.
    func giveBack(_ chain: ChainId, _ environment: Environment, at now: Timestamp) {
        let subject = UploadBudget.subject(chain, environment)
        state.withLock { state in
            guard now.date.daysSinceEpoch == state.day else { return }
            if let count = state.counts[subject], count > 0 { state.counts[subject] = count - 1 }
        }
    }

    /// Seconds until the next day; at least one.
    static func secondsLeft(at now: Timestamp) -> Int {
        Int((86_400_000 - now.millisecondOfDay + 999) / 1_000)
    }

    /// The refusal beyond the budget; no copy is kept.
    ///
    /// - Parameter isKnown: the transaction is in the log, and its claim alone was not made.
    static func refusal(
        _ chain: ChainId, _ environment: Environment, at now: Timestamp, isKnown: Bool = false
    ) -> IntakeRefusal {
        IntakeRefusal(
            .overBudget(retryAfterSeconds: secondsLeft(at: now)), code: "uploadBudgetExhausted",
            message: "Uploads about this chain, or receipts of this buyer, have added"
                + " \(eventCountPerDay) events today; "
                + (isKnown
                    ? "the transaction is in the log, but its claim was not made."
                    : "this one was not appended.")
                + " Send it again tomorrow; deliveries from Apple are not limited.",
            bundleId: chain.bundleId, environment: environment)
    }

    private static func beginDay(_ now: Timestamp, _ state: inout State) {
        let day = now.date.daysSinceEpoch
        guard day != state.day else { return }
        state.day = day
        state.counts.removeAll()
    }

    private static func subject(_ chain: ChainId, _ environment: Environment) -> Int {
        var hasher = Hasher()
        hasher.combine(environment)
        hasher.combine(chain)
        return hasher.finalize()
    }
}
