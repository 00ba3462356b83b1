import AppStore
import HTTPTypes
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Signing
import Simulator
import Synchronization
import Testing

@testable import Web

@Suite("Revoked certificates over HTTP")
struct RevocationRouteTests {
    private let purchase = MadePurchase()

    /// Says the same of every certificate, or nothing.
    final class Responder: RevocationTransport {
        private struct Silent: Error {}
        private let status: RevocationStatus?
        private let count = Mutex(0)

        init(_ status: RevocationStatus?) { self.status = status }

        var requestedCount: Int { count.withLock { $0 } }

        func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
            count.withLock { $0 += 1 }
            guard let status else { throw Silent() }
            let day: Int64 = 86_400_000
            return try TestAuthority.shared.answer(
                request, about: address.hasSuffix("throwaway02") ? .leaf : .intermediate,
                status: status,
                validity: ServedPlace.now.advanced(
                    byMilliseconds: -day)...ServedPlace.now
                    .advanced(byMilliseconds: day))
        }
    }

    private func place(
        _ policy: RevocationPolicy, _ responder: Responder
    ) throws -> (place: ServedPlace, log: LogCodes) {
        let log = LogCodes()
        var place = try ServedPlace()
        place.configuration.verification.revocation = policy
        place.responders = responder
        place.logger = log.logger
        return (place, log)
    }

    @Test(
        "Required and revoked: Apple is asked to send again, an upload's sender that it is refused")
    func revoked() async throws {
        let (place, log) = try place(.require, Responder(.revoked))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0..<2 {
                let answer = try await client.notify(purchase.notificationBody(period))
                #expect(answer.status == 503)
                #expect(answer.code == "certificateRevoked")
                #expect(answer.headers[.retryAfter] != nil)
            }
            let upload = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(upload.status == 422)
            #expect(upload.code == "certificateRevoked")
            let retried = try await client.send(.post, "/v1/quarantine:retry", .decision())
            #expect(retried.status == 200)
            #expect(retried.json["read"]?.int64 == 3)
            #expect(retried.json["appended"]?.int64 == 0)
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.log.head().position == 0)
            #expect(try await ledger.operations.quarantineCount() == 3)
            let text = String(decoding: try await client.get("/metrics").bytes, as: UTF8.self)
            for line in [
                #"subledger_revocation_checks_total{outcome="revoked"} 1"#,
                #"subledger_revocation_checks_total{outcome="good"} 0"#,
                #"subledger_intake_total{environment="production",result="certificateRevoked",source="webhook"} 2"#,
            ] { #expect(text.contains(line + "\n"), "\(line)") }
        }
        // Of the certificate chain once; the others are the refused deliveries.
        let lines = log.metadata(of: "certificateRevoked")
        #expect(lines.filter { $0["quarantined"] == nil }.count == 1)
    }

    @Test("Required and unknown: to be sent again soon, and nothing is kept")
    func unknown() async throws {
        let (place, _) = try place(.require, Responder(nil))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.notify(purchase.notificationBody())
            #expect(answer.status == 503)
            #expect(answer.code == "revocationUnknown")
            let upload = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(upload.status == 503)
            #expect(upload.code == "revocationUnknown")
            #expect(
                try await host.ledger(.production).ledger.operations.quarantineCount() == 0)
        }
    }

    @Test("Reported: a 200, and one line of the log for many events")
    func reported() async throws {
        let responder = Responder(.revoked)
        let (place, log) = try place(.report, responder)
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            for period in 0..<3 {
                #expect(try await client.notify(purchase.notificationBody(period)).status == 200)
            }
            for _ in 0..<3_000 where !log.all.contains("certificateRevoked") {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        #expect(log.metadata(of: "certificateRevoked").count == 1)
        #expect(responder.requestedCount == 1)
    }
}
