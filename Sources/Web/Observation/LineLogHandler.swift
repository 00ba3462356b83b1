internal import AppStore
internal import Ledger
import Logging
internal import Queries
internal import Service

/// One line per entry: JSON for machines, or text for people. An entry of a trace has its ids, by
/// the names of OpenTelemetry.
struct LineLogHandler: LogHandler {
    let sink: LogSink
    let format: ServiceConfiguration.Server.Log.Format
    let clock: @Sendable () -> Timestamp
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// Longest message or value, in characters, since input from outside must not fill the log. An
    /// operator's reason is written whole.
    static let maximumLength = CommandLimits.reasonByteCount

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        if let trace = TraceContext.current {
            metadata["trace_id"] = "\(trace.traceId)"
            metadata["span_id"] = "\(trace.spanId)"
        }
        let members = metadata.sorted { $0.key < $1.key }.map {
            ($0.key, LineLogHandler.bounded($0.value.description))
        }
        let message = LineLogHandler.bounded(event.message.description)
        sink.write(line(event.level, message, members)) { count in
            line(.warning, "\(count) log lines were dropped", [("code", "logLinesDropped")])
        }
    }

    private func line(
        _ level: Logger.Level, _ message: String, _ members: [(String, String)]
    ) -> [UInt8] {
        switch format {
        case .json: json(level, message, members)
        case .text: text(level, message, members)
        }
    }

    private func json(
        _ level: Logger.Level, _ message: String, _ members: [(String, String)]
    ) -> [UInt8] {
        let json = JSONWriter.object { json in
            json.member("time", clock())
            json.member("level", level.rawValue)
            json.member("message", message)
            for (key, value) in members { json.member(key, value) }
        }
        // Equivalent JSON, with characters that affect terminals escaped.
        return Array((String(decoding: json, as: UTF8.self).printable + "\n").utf8)
    }

    private func text(
        _ level: Logger.Level, _ message: String, _ members: [(String, String)]
    ) -> [UInt8] {
        let tail = members.map { " \($0.0)=\($0.1)" }.joined()
        let line = "\(clock().rfc3339) \(level.rawValue) \(message)\(tail)".printable
        return Array((line + "\n").utf8)
    }

    private static func bounded(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumLength)))
    }
}
