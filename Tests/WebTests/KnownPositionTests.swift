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
        var place = try ServedPlace()
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

    @Test(
        "A known position that is not projected is waited for, then a 503; never an older one")
    func position() async throws {
        try await lagging { client, _ in
            for path in paths {
                let behind = try await client.get("\(path)?knownPosition=2")
                #expect(behind.status == 503, "\(path)")
                #expect(behind.code == "projectionBehind", "\(path)")
                #expect(behind.json["position"]?.int64 == 1, "\(path)")
                let known = try await client.get("\(path)?knownPosition=1")
                #expect(known.status == 200, "\(path)")
            }
            let batch = try await client.post(
                "/v1/customers:entitlements?knownPosition=2", Array("{\"customers\":[]}".utf8))
            #expect(batch.code == "projectionBehind")
            let report = try await client.get(
                "/v1/metrics/churn?from=2026-01-01&to=2026-02-01&interval=month&knownPosition=2")
            #expect(report.code == "projectionBehind")
        }
    }

    @Test("The answer comes once it is projected, and then stays the same")
    func repeatable() async throws {
        try await lagging { client, hold in
            hold.release()
            let path = "/v1/subscriptions/\(purchase.id)?knownPosition=2"
            let first = try await client.ask(path)
            #expect(first.json["position"]?.int64 == 2)
            #expect(first.json["transactionId"]?.string == purchase.transactionId(1))
            #expect(try await client.get(path).bytes == first.bytes)
            // Beyond the log there is nothing to wait for.
            let beyond = try await client.get("/v1/subscriptions/\(purchase.id)?knownPosition=99")
            #expect(beyond.json["position"]?.int64 == 2)
        }
    }

    @Test("A time waits for what had arrived by then, and for nothing later")
    func time() async throws {
        try await lagging { client, hold in
            for path in paths {
                let known = try await client.get(
                    "\(path)?knownAt=\(KnownPositionTests.received.rfc3339)")
                #expect(known.status == 200, "\(path)")
                let behind = try await client.get(
                    "\(path)?knownAt=\(KnownPositionTests.laterReceived.rfc3339)")
                #expect(behind.status == 503, "\(path)")
                #expect(behind.code == "projectionBehind", "\(path)")
            }
            hold.release()
            let path = try #require(paths.first)
            let answer = try await client.ask(
                "\(path)?knownAt=\(KnownPositionTests.laterReceived.rfc3339)")
            #expect(answer.json["position"]?.int64 == 2)
        }
    }

    @Test("A 404 states its position, and how far that is behind")
    func notFound() async throws {
        try await lagging { client, _ in
            for tail in ["", "/timeline", "/events"] {
                let none = try await client.get("/v1/subscriptions/1\(tail)")
                #expect(none.code == "noSuchSubscription")
                #expect(none.headers[.subledgerPosition] == "1", "\(tail)")
                #expect(none.headers[.subledgerLag] == "1", "\(tail)")
            }
        }
    }

    @Test("Metrics state how far answers are behind, and for how long")
    func measured() async throws {
        try await lagging { client, _ in
            let text = try await client.get("/metrics").text
            let here = #"{environment="production"}"#
            #expect(text.contains("subledger_lag_positions\(here) 1\n"))
            #expect(text.contains("subledger_lag_seconds\(here) "))
            #expect(!text.contains("subledger_lag_seconds\(here) 0\n"))
        }
    }
}

/// Holds the projector's lock until it is released.
private final class ProjectorHold: Sendable {
    private let lock: Mutex<ProjectorLock?>

    init(_ lock: ProjectorLock) { self.lock = Mutex(lock) }

    func release() { lock.withLock { $0 = nil } }
}
