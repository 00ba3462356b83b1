import Logging
import Synchronization

/// The codes of everything that a service logs.
final class LogCodes: Sendable {
    private let codes = Mutex<[String]>([])

    var all: [String] { codes.withLock { $0 } }

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
            guard let code = event.metadata?["code"] else { return }
            codes.codes.withLock { $0.append("\(code)") }
        }
    }
}
