import AppStore
import Foundation
import HTTPTypes
import Logging
import Service
import TestSupport
import Testing

@testable import Web

@Suite("Traces of requests")
struct TraceTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let field = "00-\(trace)-b7ad6b7169203331-01"
    private static let name = HTTPField.Name(TraceContext.headerName)!

    static let invalid: [[String]] = [
        [], ["00-\(trace)-0-01"], [field, field], ["\(field),\(field)"],
    ]

    @Test("Without one valid traceparent a request has a trace of its own")
    func own() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for fields in TraceTests.invalid {
                var headers = HTTPFields()
                headers[values: TraceTests.name] = fields
                var ids: Set<String> = []
                for _ in 0..<2 {
                    let answer = try await client.get("/v1/subscriptions/1", headers)
                    #expect(answer.status == 404, "\(fields)")
                    ids.insert(try #require(answer.json["traceId"]?.string))
                }
                #expect(ids.count == 2, "\(fields)")
                #expect(!ids.contains(TraceTests.trace), "\(fields)")
            }
        }
    }

    /// Keeps what `LineLogHandler` writes.
    private func logged(
        _ body: @Sendable (Logger) async throws -> Void
    ) async throws -> [JSONValue] {
        let directory = try TemporaryDirectory()
        let path = directory.file("log")
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let sink = LogSink(file)
        try await body(
            Logger(label: "test") { _ in
                LineLogHandler(
                    sink: sink, format: .json, clock: { Timestamp(milliseconds: 0) },
                    logLevel: .info)
            })
        await sink.flush(within: 60)
        try file.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    @Test("A refusal and its log line have the trace of the request")
    func taken() async throws {
        let lines = try await logged { logger in
            var place = try ServedPlace()
            place.logger = logger
            try await place.serve { (client: WebClient, _: LedgerHost) async throws in
                let purchase = MadePurchase(bundleId: "com.example.other")
                let answer = try await client.notify(
                    purchase.notificationBody(), [TraceTests.name: TraceTests.field])
                #expect(answer.code == "wrongApp")
                #expect(answer.json["traceId"]?.string == TraceTests.trace)
                let good = try await client.notify(
                    MadePurchase().notificationBody(), [TraceTests.name: TraceTests.field])
                #expect(good.status == 200 && good.bytes.isEmpty)
            }
        }
        let line = try #require(lines.first { $0["code"]?.string == "wrongApp" })
        #expect(line["trace_id"]?.string == TraceTests.trace)
        let span = try #require(line["span_id"]?.string)
        #expect(span.count == 16 && span != "b7ad6b7169203331")
    }
}
