import AppStore
import HTTPTypes
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Synchronization
import Testing

@testable import Web

/// Past knowledge is the same whenever it is queried: an answer that is not available yet is not
/// replaced.
@Suite("Past knowledge while the projector lags")
struct KnownPositionTests {
    private let purchase = MadePurchase()
    private static let day: Int64 = 86_400_000

    /// One event is projected; the next, a day later, is not until the lock is released.
    private func lagging(
        _ body: @escaping @Sendable (WebClient, ProjectorHold) async throws -> Void
    ) async throws {
        let clock = ManualClock(ServedPlace.now)
        var place = try ServedPlace.single()
        place.clock = { clock.now }
        place.waitLimit = ServedPlace.briefWait
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let served = try host.ledger(.production)
            #expect(try await client.notify(purchase.notificationBody(0)).status == 200)
            _ = try await served.snapshot(atLeast: 1, limit: .seconds(120))
            let hold = ProjectorHold(
                try await ProjectorLock.held(directory: served.ledger.directory))
            clock.advance(byDays: 1)
            #expect(try await client.notify(purchase.notificationBody(1)).status == 200)
            #expect(served.projectedPosition == 1)
            try await body(client, hold)
        }
    }

    private static let received = ServedPlace.now
    private static let laterReceived = ServedPlace.now.advanced(byMilliseconds: day)

    private var paths: [String] {
        [
            "/v1/subscriptions/\(purchase.id)", "/v1/subscriptions/\(purchase.id)/timeline",
            "/v1/subscriptions/\(purchase.id)/events", "/v1/customers/ann/entitlements",
            "/v1/customers/ann/timeline", "/v1/customers/ann/subscriptions",
        ]
    }

    @Test("What is known later is waited for, then a 503; never an older answer")
    func behind() async throws {
        try await lagging { client, _ in
            for path in paths {
                for (known, status) in [
                    ("knownPosition=1", 200), ("knownPosition=2", 503),
                    ("knownAt=\(KnownPositionTests.received.rfc3339)", 200),
                    ("knownAt=\(KnownPositionTests.laterReceived.rfc3339)", 503),
                ] {
                    let answer = try await client.get("\(path)?\(known)")
                    #expect(answer.status == status, "\(path)?\(known)")
                    guard status == 503 else { continue }
                    #expect(answer.code == "projectionBehind", "\(path)?\(known)")
                    guard known.hasPrefix("knownPosition") else { continue }
                    #expect(answer.json["position"]?.int64 == 1, "\(path)?\(known)")
                }
            }
            let batch = try await client.post(
                "/v1/customers:entitlements?knownPosition=2", Array("{\"customers\":[]}".utf8))
            #expect(batch.code == "projectionBehind")
            let report = try await client.get(
                "/v1/metrics/churn?from=2026-01-01&to=2026-02-01&interval=month&knownPosition=2")
            #expect(report.code == "projectionBehind")
        }
    }

    @Test("A 404 states its position, and how far that is behind; metrics also state for how long")
    func notFound() async throws {
        try await lagging { client, _ in
            for tail in ["", "/timeline", "/events"] {
                let none = try await client.get("/v1/subscriptions/1\(tail)")
                #expect(none.code == "noSuchSubscription")
                #expect(none.headers[.subledgerPosition] == "1", "\(tail)")
                #expect(none.headers[.subledgerLag] == "1", "\(tail)")
            }
            let text = try await client.get("/metrics").text
            let here = #"{environment="production"}"#
            #expect(text.contains("subledger_lag_positions\(here) 1\n"))
            #expect(text.contains("subledger_lag_seconds\(here) "))
            #expect(!text.contains("subledger_lag_seconds\(here) 0\n"))
        }
    }

    @Test("The answer comes once it is projected, and then stays the same")
    func repeatable() async throws {
        try await lagging { client, hold in
            hold.release()
            let path = "/v1/subscriptions/\(purchase.id)"
            let first = try await client.ask("\(path)?knownPosition=2")
            #expect(first.json["position"]?.int64 == 2)
            #expect(first.json["transactionId"]?.string == purchase.transactionId(1))
            #expect(try await client.get("\(path)?knownPosition=2").bytes == first.bytes)
            // Beyond the log there is nothing to wait for.
            for known in [
                "knownPosition=99", "knownAt=\(KnownPositionTests.laterReceived.rfc3339)",
            ] {
                let answer = try await client.ask("\(path)?\(known)")
                #expect(answer.json["position"]?.int64 == 2, "\(known)")
            }
        }
    }
}

/// Holds the projector's lock until it is released.
private final class ProjectorHold: Sendable {
    private let lock: Mutex<ProjectorLock?>

    init(_ lock: ProjectorLock) { self.lock = Mutex(lock) }

    func release() { lock.withLock { $0 = nil } }
}
