public import AppStore
public import Logging
public import Service

/// The service's log, on standard error.
public struct ServiceLog: Sendable {
    public let logger: Logger
    private let sink = LogSink()

    public init(
        _ settings: ServiceConfiguration.Server.Log, clock: @escaping @Sendable () -> Timestamp
    ) {
        let sink = sink
        let level = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        logger = Logger(label: "subledger") { _ in
            LineLogHandler(
                sink: sink, format: settings.format, clock: clock, logLevel: level)
        }
    }

    /// Returns when everything is written; after 2 s also where the reader stalls.
    public func flush() async { await sink.flush() }
}
