import AppStore
import Synchronization

/// Every attempt Apple made to deliver the notifications of some books: written by a `Notifier`,
/// told by a `SimulatedAPI`. So what `sendAttempts` and `onlyFailures` say is what happened.
public final class AttemptBook: Sendable {
    /// By the notification's place in the books, oldest first.
    private let attempts: Mutex<[Int: [DeliveryAttempt]]> = Mutex([:])
    /// What was signed, by place; nil where every use signs anew.
    private let tokens: Mutex<[Int: String]?>

    /// Nothing was sent yet.
    ///
    /// - Parameter keepsTokens: whether a notification is signed once, and told with the very bytes
    ///   that were posted, which takes some 18 KiB each. Otherwise every attempt and every answer
    ///   has signatures of its own, and the same payload.
    public init(keepsTokens: Bool = false) { tokens = Mutex(keepsTokens ? [:] : nil) }

    /// The attempts that Apple makes when everything is taken at once, except what comes during an
    /// outage: for an API without a notifier beside it.
    ///
    /// - Parameters:
    ///   - books: what is sent.
    ///   - outages: when nothing answers.
    public convenience init(delivering books: ServedBooks, outages: [DeliveryOutage] = []) {
        self.init()
        var faults = DeliveryFaults()
        faults.outages = outages
        var notifier = Notifier(books: books, attempts: self, faults: faults)
        while let step = notifier.next() { notifier.settle(step, .success) }
    }

    /// The attempts for a notification that were begun by `moment`, oldest first.
    func attempts(_ index: Int, until moment: Timestamp) -> [DeliveryAttempt] {
        attempts.withLock { $0[index] ?? [] }.filter { $0.date <= moment }
    }

    /// The notification, signed: the one that was kept, or a fresh one.
    func token(_ index: Int, _ sign: () throws -> String) rethrows -> String {
        if let kept = tokens.withLock({ $0?[index] }) { return kept }
        let signed = try sign()
        tokens.withLock { $0?[index] = signed }
        return signed
    }

    func note(_ attempt: DeliveryAttempt, _ index: Int) {
        attempts.withLock { $0[index, default: []].append(attempt) }
    }

    /// Notifications that were tried, and never taken so far.
    public var failedCount: Int {
        attempts.withLock { all in
            all.values.count { !$0.contains { $0.result == .success } }
        }
    }
}
