import AppStore
import Synchronization

/// Every attempt to deliver the notifications of `ServedRecords`: written by a `Notifier`, reported
/// by a `SimulatedAPI`, so that `sendAttempts` and `onlyFailures` match what happened.
public final class AttemptLog: Sendable {
    /// By the notification's index in the records, oldest first.
    private let attempts: Mutex<[Int: [DeliveryAttempt]]> = Mutex([:])
    /// Signed payloads by index; nil when every use signs again.
    private let tokens: Mutex<[Int: String]?>

    /// A log without attempts. With `keepsTokens` a notification is signed once and reported with
    /// the bytes that were posted, which takes some 18 KiB each; otherwise every attempt and every
    /// response has its own signatures over the same payload.
    public init(keepsTokens: Bool = false) { tokens = Mutex(keepsTokens ? [:] : nil) }

    /// The attempts Apple makes when every delivery succeeds except during outages: for an API
    /// without a notifier.
    public convenience init(delivering books: ServedRecords, outages: [DeliveryOutage] = []) {
        self.init()
        var faults = DeliveryFaults()
        faults.outages = outages
        var notifier = Notifier(books: books, attempts: self, faults: faults)
        while let step = notifier.next() { notifier.complete(step, .success) }
    }

    /// The attempts for a notification started by `moment`, oldest first.
    func attempts(_ index: Int, until moment: Timestamp) -> [DeliveryAttempt] {
        attempts.withLock { $0[index] ?? [] }.filter { $0.date <= moment }
    }

    /// The signed notification: the stored one, or a new one.
    func token(_ index: Int, _ sign: () throws -> String) rethrows -> String {
        if let kept = tokens.withLock({ $0?[index] }) { return kept }
        let signed = try sign()
        tokens.withLock { $0?[index] = signed }
        return signed
    }

    func note(_ attempt: DeliveryAttempt, _ index: Int) {
        attempts.withLock { $0[index, default: []].append(attempt) }
    }

    /// Notifications that were tried and never delivered.
    public var failedCount: Int {
        attempts.withLock { all in
            all.values.count { !$0.contains { $0.result == .success } }
        }
    }
}
