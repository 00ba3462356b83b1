import AppStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerStore
import Logging
import Simulator
import Testing

@testable import Service
@testable import Web

@Suite("Metrics")
struct ObservationTests {
    @Test("The text is Prometheus's: types, labels escaped, buckets that add up")
    func text() {
        let registry = MetricRegistry()
        registry.counter("b_total", [("x", "a\"b\\c\nd")]).add()
        registry.gauge("a").set(1.5)
        let timer = registry.histogram("c_seconds")
        timer.record(.nanoseconds(700_000))
        timer.record(.seconds(20))
        let lines = registry.text().split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["# TYPE a gauge", "a 1.5", "# TYPE b_total counter"])
        #expect(lines[3] == #"b_total{x="a\"b\\c\nd"} 1"#)
        #expect(lines.contains(#"c_seconds_bucket{le="0.0005"} 0"#))
        #expect(lines.contains(#"c_seconds_bucket{le="0.001"} 1"#))
        #expect(lines.contains(#"c_seconds_bucket{le="10"} 1"#))
        #expect(lines.contains(#"c_seconds_bucket{le="+Inf"} 2"#))
        #expect(lines.contains("c_seconds_count 2"))
    }

    @Test("A notification of each of Apple's retries is counted in a bucket of its own")
    func lateness() {
        let registry = MetricRegistry()
        let lateness = registry.histogram("c_seconds", bounds: MetricRegistry.latenessBounds)
        var hours: Int64 = 0
        for wait in DeliverySchedule.waitHours {
            hours += wait
            // The signature is older than the first attempt.
            lateness.record(.seconds(hours * 3_600 + 30))
        }
        let buckets = registry.text().split(separator: "\n").filter { $0.contains("_bucket") }
        let counts: [Substring] = buckets.suffix(6).map { $0.split(separator: " ")[1] }
        #expect(counts == ["0", "1", "2", "3", "4", "5"])
    }

    @Test("A gauge that a scrape could not measure is absent, and other series stay")
    func unmeasured() {
        let registry = MetricRegistry()
        let here = [("environment", "production")]
        registry.counter("c_total", here).add()
        registry.gauge("last", [("app", "a")] + here).set(1)
        for place in ["production", "sandbox"] {
            registry.measured([("items", 7), ("position", 1)], [("environment", place)])
        }
        registry.measured([("position", 2)], here)
        let lines = registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        let expected: [Substring] = [
            #"c_total{environment="production"} 1"#, #"items{environment="sandbox"} 7"#,
            #"last{app="a",environment="production"} 1"#,
            #"position{environment="production"} 2"#, #"position{environment="sandbox"} 1"#,
        ]
        #expect(lines == expected)
        registry.measured([("position", 2)], [("environment", "sandbox")])
        #expect(!registry.text().contains("items"))
    }

    @Test("No client can make the number of series grow without bound")
    func bounded() {
        let registry = MetricRegistry()
        for number in 0...MetricRegistry.maximumSeriesCount + 5 {
            registry.counter("n", [("i", "\(number)")]).add()
        }
        let lines = registry.text().split(separator: "\n")
        #expect(lines.count == 1 + MetricRegistry.maximumSeriesCount + 1)
        #expect(lines.contains("n 6"))
    }

    @Test("Deliveries are counted by result, and exported on a scrape")
    func counted() async throws {
        let metrics = ServiceMetrics()
        var place = try ServedPlace()
        place.metrics = metrics
        let purchase = MadePurchase()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.notify(purchase.notificationBody())
            _ = try await client.notify(Array("{".utf8))
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            _ = try await client.get("/nowhere")
            let text = try await client.get("/metrics").text
            for line in [
                #"subledger_intake_total{environment="production",result="appended",source="webhook"} 1"#,
                #"subledger_intake_total{environment="production",result="duplicate",source="webhook"} 1"#,
                #"subledger_intake_total{environment="none",result="malformedJSON",source="webhook"} 1"#,
                #"subledger_log_position{environment="production"} 1"#,
                #"subledger_projected_position{environment="production"} 1"#,
                #"subledger_lag_positions{environment="production"} 0"#,
                #"subledger_lag_seconds{environment="production"} 0"#,
                "subledger_verify_seconds_count 2", "subledger_append_seconds_count 2",
                "subledger_ready 1",
                #"subledger_http_requests_total{method="POST",path="/appstore/notifications",status="200"} 2"#,
                #"subledger_http_requests_total{method="GET",path="none",status="404"} 1"#,
            ] { #expect(text.contains(line + "\n"), "\(line)") }
            #expect(text.contains("subledger_last_event_timestamp_seconds{app=\"com.example.app\""))
            #expect(text.contains("subledger_wal_bytes{"))
            #expect(text.contains("subledger_disk_free_bytes{"))
            #expect(!text.contains(#"subledger_disk_free_bytes{environment="production"} 0\#n"#))
            // Nothing was kept: one was accepted, one known, one unreadable.
            #expect(!text.contains("subledger_quarantined_total{"))
        }
    }

    @Test("A signed transaction is no notification: it is refused, counted and logged once")
    func misplaced() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        (place.metrics, place.logger) = (ServiceMetrics(), codes.logger)
        let upload = try JSONValue.parse(try MadePurchase().uploadBody())
        let body = MadePurchase.body(upload["signedTransactionInfo"]?.string ?? "")
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.notify(body)
            #expect(answer.status == 400 && answer.code == "invalidBody")
            #expect(try await host.end() == 0)
            let text = try await client.get("/metrics").text
            let counted =
                #"subledger_intake_total{environment="none",result="invalidBody",source="webhook"} 1"#
            #expect(text.contains(counted + "\n"))
            #expect(codes.metadata(of: "invalidBody").count == 1)
        }
    }

    // MARK: Answers to retention requests that are not recorded

    private static let chain = ChainId(
        bundleId: BundleId(MadePurchase.app), originalTransactionId: OriginalTransactionId("1"))
    private static let unrecorded = RetentionRecord(
        requestId: "1", chain: chain, at: ServedPlace.now, outcome: .shown)

    @Test("An answer beyond those that may wait to be recorded is counted, and logged")
    func overflow() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            // given
            for _ in 0..<RetentionAnswers.waitingCount {
                _ = host.retentionAnswers.add(ObservationTests.unrecorded, at: 1, in: .production)
            }
            // when
            let served = try host.ledger(.production)
            host.keep(ObservationTests.unrecorded, answeredAt: 1, in: served)
            // then
            let text = try await client.get("/metrics").text
            #expect(text.contains("subledger_retention_unrecorded_total 1\n"))
        }
        let dropped = codes.metadata(of: "retentionRecordsDropped")
        #expect(dropped.map { $0["environment"]?.description } == ["production"])
    }

    @Test("Answers that cannot be recorded until the service stops are counted, and logged")
    func unwritten() async throws {
        let codes = LogCodes()
        var place = try ServedPlace()
        place.logger = codes.logger
        let operations = "\(place.directory(of: .production))/operations.sqlite"
        try await place.serve { (_: WebClient, host: LedgerHost) async throws in
            // given
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: operations + suffix)
            }
            // when
            let served = try host.ledger(.production)
            for _ in 0..<3 {
                host.keep(ObservationTests.unrecorded, answeredAt: 1, in: served)
            }
        }
        // then
        let text = place.metrics.registry.text()
        #expect(text.contains("subledger_retention_unrecorded_total 3\n"))
        #expect(codes.all.count { $0 == "retentionRecordsDropped" } == 1)
    }

    @Test("Requests without a token leave every route room for its first failure")
    func refused() async throws {
        var place = try ServedPlace()
        let metrics = place.metrics
        place.configuration.server.tokens = [.init("one", [.read])]
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let service = try WebService(
                host: host, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let paths = Set(service.routes().routes.map(\.path.description))
            for path in paths.sorted() {
                let uri = path.replacing(#/:\w+/#, with: "1")
                for method in ObservationTests.methods {
                    // As a page of the console sends a form, and from no page.
                    _ = try await client.client.executeRequest(
                        uri: uri, method: method,
                        headers: [ObservationTests.fetchSite: "same-origin"], body: nil)
                    // With a target of another host than the request's.
                    guard ObservationTests.methods.prefix(3).contains(method) else { continue }
                    _ = try await client.client.executeRequest(
                        uri: "http://other.example\(uri)", method: method, headers: [:], body: nil)
                }
            }
            metrics.answered(method: "GET", path: "/v1/events", status: 503, .zero)
            let lines = metrics.registry.text().split(separator: "\n").map(String.init)
            let counted = lines.filter { $0.hasPrefix("subledger_http_requests_total{") }
            #expect(paths.count * ObservationTests.methods.count > 512)
            #expect(counted.count < MetricRegistry.maximumSeriesCount / 4)
            #expect(
                counted.contains {
                    $0.contains(#"{method="GET",path="/v1/events",status="503"} 1"#)
                })
        }
    }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    private static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .delete, .patch, .options, .trace]
        + ["QUERY"].compactMap { HTTPRequest.Method($0) }
}
