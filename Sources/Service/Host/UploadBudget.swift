import AppStore
import Ledger
import Synchronization

/// How many events the uploads about one chain may add to the log in a day (UTC). The owner of one
/// genuine purchase can have it signed again as often as they like, and each signature is another
/// event: it may close a revocation, so none is dropped as known. What Apple delivers takes nothing
/// of this budget, and what is known already adds nothing.
///
/// Held in memory: it begins anew with each start.
final class UploadBudget: Sendable {
    /// Events that uploads about one chain may add in a day: the transaction or the receipt, and the
    /// claim of a customer. An app that uploads the current transaction at each launch adds one when
    /// Apple has signed it again.
    static let eventCountPerDay = 100
    /// Chains counted in one day, 32 bytes each or less; further ones of that day are not counted.
    static let chainCount = 1_000_000

    private static let dayMilliseconds: Int64 = 86_400_000

    private let state = Mutex(State())

    private struct State {
        var day: Int64 = .min
        /// By hash: a name is as long as its sender likes, and two chains in one place cost nothing
        /// but part of a budget.
        var counts: [Int: UInt16] = [:]
    }

    /// Takes one event of the chain's budget; false when nothing is left of it.
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

    /// Gives back what was taken for an event that was not written after all.
    func giveBack(_ chain: ChainId, _ environment: Environment, at now: Timestamp) {
        let subject = UploadBudget.subject(chain, environment)
        state.withLock { state in
            UploadBudget.beginDay(now, &state)
            if let count = state.counts[subject], count > 0 { state.counts[subject] = count - 1 }
        }
    }

    /// Seconds until the next day begins; at least one.
    static func secondsLeft(at now: Timestamp) -> Int {
        let end = (day(now) + 1).multipliedReportingOverflow(by: dayMilliseconds)
        let left = end.partialValue.subtractingReportingOverflow(now.milliseconds)
        guard !end.overflow, !left.overflow else { return Int(dayMilliseconds / 1_000) }
        return max(1, Int((left.partialValue + 999) / 1_000))
    }

    /// What is answered beyond the budget; nothing is kept of it.
    static func refusal(
        _ chain: ChainId, _ environment: Environment, at now: Timestamp
    ) -> IntakeRefusal {
        IntakeRefusal(
            .overBudget(retryAfterSeconds: secondsLeft(at: now)), code: "uploadBudgetExhausted",
            message: "Uploads about this chain have added \(eventCountPerDay) events today; it was"
                + " not taken in. Send it again tomorrow; what Apple delivers is taken in as always.",
            bundleId: chain.bundleId, environment: environment)
    }

    private static func beginDay(_ now: Timestamp, _ state: inout State) {
        let day = day(now)
        guard day != state.day else { return }
        state.day = day
        state.counts.removeAll()
    }

    private static func day(_ now: Timestamp) -> Int64 {
        let (quotient, remainder) = now.milliseconds.quotientAndRemainder(
            dividingBy: dayMilliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func subject(_ chain: ChainId, _ environment: Environment) -> Int {
        var hasher = Hasher()
        hasher.combine(environment)
        hasher.combine(chain)
        return hasher.finalize()
    }
}
