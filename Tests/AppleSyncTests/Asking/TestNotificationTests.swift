import AppStore
import AppStoreAPI
import AppleSync
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Queries
import Simulator
import Testing

@Suite("TEST notifications, against the simulated API")
struct TestNotificationTests {
    /// Requests a TEST notification, with a server that accepts deliveries, or not.
    func ask(
        _ place: TemporaryLedger, faults: [ServedFaultRule] = [], key: ServedKey? = nil,
        source: EventSource? = .webhook, wait: Int64 = 60_000
    ) async throws -> TestNotificationReport {
        try await place.ledger { ledger in
            let ingest = Ingest(
                ledger: ledger, apps: place.configuration.apps, verifier: place.verifier,
                source: source ?? .webhook
            ) { AskedApple.now }
            let apple = try AskedApple(
                faults: faults, key: key ?? TestAuthority.key
            ) { request, answer in
                // Apple delivers before it reports the delivery.
                guard source != nil, answer.status == 200,
                    request.url.contains("/notifications/test/")
                else { return }
                _ = try? await ingest.run(lines: [answer.body], input: "notification")
            }
            return try await TestNotification(
                apple.client, ledger: ledger, verifier: place.verifier, clock: apple.clock
            ).run(wait: wait)
        }
    }

    @Test("Without an address in App Store Connect the message says where to enter it")
    func noURL() async throws {
        let report = try await ask(
            TemporaryLedger(),
            faults: [ServedFaultRule(.error(4_040_007), only: .requestTestNotification)])
        #expect(report.diagnosis == .noServerURL(.production))
        #expect(report.diagnosis.message.contains("/appstore/notifications"))
        #expect(!report.hasArrived)
        #expect(report.token == nil)
    }

    @Test("A refused key and an unreachable Apple are reported as such")
    func notRequested() async throws {
        let refused = try await ask(TemporaryLedger(), key: try ServedKey(keyId: "OTHER"))
        #expect(refused.diagnosis.code == "unauthorized")
        let broken = try await ask(
            TemporaryLedger(),
            faults: [ServedFaultRule(.status(500), only: .requestTestNotification)])
        #expect(broken.diagnosis.code == "unknownOutcome")
        let later = try await ask(
            TemporaryLedger(),
            faults: [ServedFaultRule(.status(500), only: .testNotificationStatus)])
        #expect(later.diagnosis.code == "appleUnavailable")
        #expect(later.token != nil)
    }

    /// Accepts every request, and returns no status.
    private struct Mute: APITransport {
        let body: String

        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            TransportResponse(status: 200, body: Array(body.utf8))
        }
    }

    @Test(
        "A response without a token does not suggest a query by token",
        arguments: ["{}", "{\"testNotificationToken\":\"\"}"])
    func noToken(_ body: String) async throws {
        let place = try TemporaryLedger()
        let report = try await place.ledger { ledger in
            let clock = ManualClock(AskedApple.now, sleeping: .advances)
            let client = AppStoreServerAPIClient(
                credentials: try TestAuthority.key.credentials(AskedApple.app),
                transport: Mute(body: body), clock: clock)
            return try await TestNotification(
                client, ledger: ledger, verifier: place.verifier, clock: clock
            ).run()
        }
        #expect(report.diagnosis == .noToken)
        #expect(report.diagnosis.code == "noToken")
        #expect(!report.diagnosis.message.contains("test-status"))
        #expect(!report.hasArrived)
    }

    @Test("Delivered, but not into this ledger; an arrival by another way does not count")
    func elsewhere() async throws {
        for source in [nil, EventSource.import, .history] {
            let report = try await ask(TemporaryLedger(), source: source)
            #expect(report.diagnosis == .arrivedElsewhere)
            #expect(report.position == nil)
            #expect(report.notificationUUID != nil)
        }
    }

    @Test("Delivered, but of another app than the configured one: it is quarantined")
    func quarantined() async throws {
        var place = try TemporaryLedger()
        place.configuration.apps[0].appAppleId = 1
        let report = try await ask(place)
        #expect(report.diagnosis == .quarantined(code: "wrongApp"))
        #expect(!report.hasArrived)
    }

    @Test("The notification Apple reports must verify")
    func unverifiable() async throws {
        let report = try await ask(
            TemporaryLedger(),
            faults: [ServedFaultRule(.badSignature, only: .testNotificationStatus)])
        #expect(report.diagnosis == .unverifiable(code: "signatureMismatch"))
    }

    @Test("Every result of Apple is reported by its name, also one unknown to this version")
    func undelivered() async throws {
        let place = try TemporaryLedger()
        let failures = SendAttemptResult.allCases.filter { $0 != .success }.map(\.rawValue)
        for name in failures + ["NEW_ISSUE"] {
            let report = try await ask(
                place,
                faults: [ServedFaultRule(.delivery(name), only: .testNotificationStatus)],
                source: nil)
            #expect(report.diagnosis == .undelivered(Raw(rawValue: name)))
            #expect(report.diagnosis.code == "undelivered")
            #expect(report.attempts.map(\.sendAttemptResult) == [Raw(rawValue: name)])
            #expect(report.diagnosis.message.contains(name))
        }
    }

    @Test("It arrived, but Apple got no accepted response")
    func unanswered() async throws {
        let report = try await ask(
            TemporaryLedger(),
            faults: [
                ServedFaultRule(.delivery("TIMED_OUT"), only: .testNotificationStatus)
            ])
        #expect(report.diagnosis == .arrivedUnanswered(Raw(.timedOut)))
        #expect(report.hasArrived)
    }

    @Test("It arrived: its position, and nothing appended by the command itself")
    func arrived() async throws {
        let place = try TemporaryLedger()
        let report = try await ask(place)
        #expect(report.diagnosis == .arrived)
        #expect(report.position == 1)
        #expect(report.attempts.map(\.sendAttemptResult) == [Raw(.success)])
        let events = try await place.exportLines(.events)
        #expect(events.count == 1)
        #expect(events.first?["source"]?.string == "webhook")
        #expect(report.lines.last?.hasPrefix("arrived: ") == true)
        let json = try TemporaryLedger.json { report.write(to: &$0) }
        #expect(json["arrived"]?.bool == true)
        #expect(json["diagnosis"]?["code"]?.string == "arrived")
    }
}
