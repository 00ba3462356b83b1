public import AppStore
import Foundation

/// The time source of long-running parts; replaceable in tests.
public protocol ServiceClock: Sendable {
    var now: Timestamp { get }

    /// Returns after that long; throws when the task is cancelled.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}

/// The system's clock.
public struct SystemClock: ServiceClock {
    private let time: @Sendable () -> Timestamp

    /// - Parameter time: returns the current time; sleeping uses real time.
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
