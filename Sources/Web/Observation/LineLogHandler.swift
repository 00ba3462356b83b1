import AppStore
import LedgerService
import Logging

/// One line an entry: JSON for machines, or text for people.
struct LineLogHandler: LogHandler {
    let sink: LogSink
    let format: Configuration.Server.Log.Format
    let clock: @Sendable () -> Timestamp
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// Longest message or value, characters: what comes from outside does not fill the log.
    static let maximumLength = 1_024

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let members = metadata.merging(event.metadata ?? [:]) { $1 }
            .sorted { $0.key < $1.key }
            .map { ($0.key, LineLogHandler.bounded($0.value.description)) }
        let message = LineLogHandler.bounded(event.message.description)
        switch format {
        case .json: sink.write(json(event.level, message, members))
        case .text: sink.write(text(event.level, message, members))
        }
    }

    private func json(
        _ level: Logger.Level, _ message: String, _ members: [(String, String)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("time", clock())
            json.member("level", level.rawValue)
            json.member("message", message)
            for (key, value) in members { json.member(key, value) }
        }
        json.newline()
        return json.bytes
    }

    private func text(
        _ level: Logger.Level, _ message: String, _ members: [(String, String)]
    ) -> [UInt8] {
        let tail = members.map { " \($0.0)=\($0.1)" }.joined()
        return Array("\(clock().rfc3339) \(level.rawValue) \(message)\(tail)\n".utf8)
    }

    /// Without control characters: one entry is one line.
    private static func bounded(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(maximumLength).map { $0.value < 0x20 ? " " : $0 }))
    }
}
