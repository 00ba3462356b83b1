internal import LedgerStore
import Synchronization

/// Answers for pages that may take long, computed in the background. The request that starts one
/// waits briefly for it; one that takes longer is kept for later requests.
public final class PageAnswers: Sendable {
    /// Answers being computed or kept; beyond it the oldest finished one is forgotten.
    static let count = 20
    /// How long an answer is kept that took longer than its request waited.
    static let keptDuration: Duration = .seconds(60)
    /// How long a request waits.
    public static let patienceSeconds = 2

    enum Entry: Sendable {
        /// With the signal of the attempt.
        case making(WakeSignal)
        case made(any Sendable, at: ContinuousClock.Instant)
        case failed(any Error, at: ContinuousClock.Instant)

        fileprivate var endedAt: ContinuousClock.Instant? {
            switch self {
            case .making: nil
            case .made(_, let at), .failed(_, let at): at
            }
        }
    }

    private let entries = Mutex<[String: Entry]>([:])

    func entry(_ key: String) -> Entry? {
        entries.withLock { entries in
            entries = entries.filter { _, entry in
                entry.endedAt.map { $0.duration(to: .now) < PageAnswers.keptDuration } ?? true
            }
            return entries[key]
        }
    }

    /// False while there is no room.
    func begin(_ key: String, _ isDone: WakeSignal) -> Bool {
        entries.withLock { entries in
            if entries.count >= PageAnswers.count {
                let ended = entries.compactMap { key, entry in entry.endedAt.map { (key, $0) } }
                guard let oldest = ended.min(by: { $0.1 < $1.1 }) else { return false }
                entries[oldest.0] = nil
            }
            entries[key] = .making(isDone)
            return true
        }
    }

    /// Keeps the result of an answer, unless the answer was forgotten while it was being made, also
    /// where another attempt began since.
    func end(_ key: String, _ isDone: WakeSignal, _ entry: Entry) {
        entries.withLock { entries in
            guard case .making(let current) = entries[key], current === isDone else { return }
            entries[key] = entry
        }
    }

    /// Forgets every answer, also those being made.
    func removeAll() { entries.withLock { $0 = [:] } }

    /// Forgets an answer that its request received.
    func take(_ key: String) -> Entry? {
        entries.withLock { entries in
            let entry = entries[key]
            if entry?.endedAt != nil { entries[key] = nil }
            return entry
        }
    }
}

extension LedgerHost {
    /// An answer for a page, which may take long: made in the background, one at a time. Nil while
    /// it is being made: the page asks again. An answer that was ready in time is never kept, so
    /// that it is always current; a failure is thrown once, since the next attempt may succeed.
    ///
    /// Throws what `make` throws, and `OperatorError` (`tooManyJobs`).
    public func pageAnswer<Value: Sendable>(
        _ key: String, patience: Duration = .seconds(PageAnswers.patienceSeconds),
        _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        if let entry = pageAnswers.entry(key) {
            if case .failed = entry { _ = pageAnswers.take(key) }
            return try LedgerHost.value(of: entry)
        }
        let isDone = WakeSignal()
        guard pageAnswers.begin(key, isDone) else {
            throw OperatorError(
                .tooManyJobs, "\(PageAnswers.count) reports are being made; retry later.")
        }
        background.start { [self] in
            await jobTurns.pass {
                let entry: PageAnswers.Entry
                do { entry = .made(try await make(), at: .now) } catch {
                    entry = .failed(error, at: .now)
                }
                pageAnswers.end(key, isDone, entry)
                isDone.raise()
            }
        }
        await isDone.sleep(atMost: patience)
        return try pageAnswers.take(key).flatMap { try LedgerHost.value(of: $0) }
    }

    private static func value<Value>(of entry: PageAnswers.Entry) throws -> Value? {
        switch entry {
        case .making: nil
        case .made(let value, _): value as? Value
        case .failed(let error, _): throw error
        }
    }
}
