public import AppStore
import Foundation

/// What long-running parts ask for the time, so that tests can give it.
public protocol ServiceClock: Sendable {
    var now: Timestamp { get }

    /// Returns after that long; throws when the task is cancelled.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}

/// The system's clock.
public struct SystemClock: ServiceClock {
    private let time: @Sendable () -> Timestamp

    /// - Parameter time: what time it is; waiting takes real time all the same.
    public init(
        _ time: @escaping @Sendable () -> Timestamp = {
            Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
        }
    ) { self.time = time }

    public var now: Timestamp { time() }

    public func sleep(milliseconds: Int64) async throws(CancellationError) {
        do {
            try await Task.sleep(for: .milliseconds(milliseconds))
        } catch {
            throw CancellationError()
        }
    }
}
