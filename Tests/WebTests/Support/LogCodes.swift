import Logging
import Synchronization

/// Collects a service's log.
final class LogCodes: Sendable {
    private let entries = Mutex<[(level: Logger.Level, metadata: Logger.Metadata)]>([])

    /// The codes of entries that have one.
    var all: [String] { entries.withLock { $0.compactMap { $0.metadata["code"]?.description } } }

    /// The metadata of each entry of a code.
    func metadata(of code: String) -> [Logger.Metadata] {
        entries.withLock { $0.map(\.metadata) }.filter { $0["code"]?.description == code }
    }

    /// The error metadata of entries at a level.
    func errors(_ level: Logger.Level) -> [Logger.Metadata] {
        entries.withLock { $0.filter { $0.level == level && $0.metadata["error"] != nil } }
            .map(\.metadata)
    }

    var logger: Logger { Logger(label: "test") { _ in Handler(codes: self) } }

    private struct Handler: LogHandler {
        let codes: LogCodes
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            codes.entries.withLock { $0.append((event.level, event.metadata ?? [:])) }
        }
    }
}
