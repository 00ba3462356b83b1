import AppStore
import Foundation
import Ledger
import Logging
import TestSupport
import Testing

@testable import Service
@testable import Web

@Suite("Lines of the service's log")
struct LogLineTests {
    /// The log output of some entries. Uses a file: a pipe ends only once every process that
    /// inherited it has exited.
    private func written(
        _ format: ServiceConfiguration.Server.Log.Format, level: Logger.Level = .info,
        _ log: (Logger) -> Void
    ) async throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.file("log")
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let sink = LogSink(file)
        log(
            Logger(label: "test") { _ in
                LineLogHandler(
                    sink: sink, format: format, clock: { Timestamp(milliseconds: 0) },
                    logLevel: level)
            })
        await sink.flush(within: 60)
        try file.close()
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// The output of two entries with untrusted text.
    private func lines(_ format: ServiceConfiguration.Server.Log.Format) async throws -> [String] {
        let bytes = try await written(format) { logger in
            logger.info("\(Self.hostile)", metadata: ["path": "\(Self.hostile)"])
            logger.info("plain – text")
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let hostile = "a\u{1B}[2J\r\nb\u{7F}\u{9B}c\u{202E}d\u{2066}\u{E0001}"

    private func isHarmless(_ line: String) -> Bool {
        line.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    @Test("As text an entry is one line without control or direction marks, and still readable")
    func text() async throws {
        let lines = try await lines(.text)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy(isHarmless))
        let shown = #"a\u001B[2J\u000D\u000Ab\u007F\u009Bc\u202Ed\u2066\uDB40\uDC01"#
        #expect(lines.first == "1970-01-01T00:00:00.000Z info \(shown) path=\(shown)")
        #expect(lines.last == "1970-01-01T00:00:00.000Z info plain – text")
    }

    @Test("As JSON it is one line as well, and exact")
    func json() async throws {
        let lines = try await lines(.json)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy(isHarmless))
        let entry = try JSONValue.parse(Array(try #require(lines.first).utf8))
        #expect(entry["message"]?.string == Self.hostile)
        #expect(entry["path"]?.string == Self.hostile)
    }

    @Test("Lines that a reader who stalls had dropped are counted, in the format of the others")
    func dropped() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.file("log")
        try Data().write(to: URL(filePath: path))
        let sink = LogSink(try FileHandle(forWritingTo: URL(filePath: path)))
        let handler = LineLogHandler(
            sink: sink, format: .json, clock: { Timestamp(milliseconds: 0) }, logLevel: .info)
        sink.queue.suspend()
        Logger(label: "test") { _ in handler }.info("first")
        for _ in 0..<(LogSink.waitingCount + 2) { sink.write([10]) { _ in [10] } }
        sink.queue.resume()
        await sink.flush(within: 60)
        let bytes = try Data(contentsOf: URL(filePath: path))
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        #expect(lines.count == 2)
        let entry = try JSONValue.parse(try #require(lines.last))
        #expect(entry["code"]?.string == "logLinesDropped")
        #expect(entry["message"]?.string == "3 log lines were dropped")
    }

    @Test("A reader who stalls keeps no process: flushing ends without it", .timeLimit(.minutes(1)))
    func stalled() async throws {
        let sink = LogSink()
        sink.queue.suspend()
        await sink.flush(within: 0)
        sink.queue.resume()
    }

    @Test("Values beyond the length limit are truncated")
    func length() async throws {
        let bytes = try await written(.json) { logger in
            logger.info("\(String(repeating: "x", count: LineLogHandler.maximumLength + 1))")
        }
        let entry = try JSONValue.parse(Array(bytes.dropLast()))
        #expect(entry["message"]?.string?.count == LineLogHandler.maximumLength)
    }

    @Test(
        "Every act of an operator is written at each level, with the whole reason",
        arguments: [Logger.Level.info, .error])
    func acts(level: Logger.Level) async throws {
        let reason = String(repeating: "x", count: CommandLimits.reasonByteCount)
        let count = LogRateLimiter.entriesPerSecond + 1
        let bytes = try await written(.json, level: level) { logger in
            let observer = ServiceObserver(logger: logger, metrics: ServiceMetrics())
            for _ in 0..<count {
                observer.noted(
                    .operatorAct(.production, act: "redeliver", actor: "sara", reason: reason))
            }
        }
        let lines = bytes.split(separator: 0x0A)
        #expect(lines.count == count)
        let entry = try JSONValue.parse(Array(try #require(lines.last)))
        #expect(entry["message"]?.string == "redeliver by sara")
        #expect(entry["reason"]?.string == reason)
    }
}
