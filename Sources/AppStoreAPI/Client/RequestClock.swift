public import AppStore
import Foundation

/// The client's clocks, replaceable in tests.
public protocol RequestClock: Sendable {
    /// The time of day, which may jump; for tokens and Apple's dates.
    var now: Timestamp { get }
    /// Monotonic milliseconds; for rates.
    var elapsedMilliseconds: Int64 { get }

    /// Returns after that time; throws if the task is cancelled.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}

/// The system's clocks.
public struct SystemRequestClock: RequestClock {
    private let start = ContinuousClock.now

    /// A clock whose elapsed time begins now.
    public init() {}

    public var now: Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    public var elapsedMilliseconds: Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    public func sleep(milliseconds: Int64) async throws(CancellationError) {
        do {
            try await Task.sleep(for: .milliseconds(milliseconds))
        } catch {
            throw CancellationError()
        }
    }
}
