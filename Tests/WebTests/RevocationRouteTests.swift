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
import Testing

@testable import Web

@Suite("Revoked certificates over HTTP")
struct RevocationRouteTests {
    private let purchase = MadePurchase()

    /// Says the same of every certificate, or nothing.
    final class Responder: RevocationTransport {
        private struct Silent: Error {}
        private let status: RevocationStatus?

        init(_ status: RevocationStatus?) { self.status = status }

        func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
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

    /// Revocation is checked, and required to be known.
    private func place(_ responder: Responder) throws -> (place: ServedPlace, log: LogCodes) {
        let log = LogCodes()
        var place = try ServedPlace()
        place.configuration.verification.revocation = .require
        place.responders = responder
        place.logger = log.logger
        return (place, log)
    }

    @Test(
        "Required and revoked: Apple is asked to send again, an upload's sender that it is refused")
    func revoked() async throws {
        let (place, log) = try place(Responder(.revoked))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0..<2 {
                let answer = try await client.notify(purchase.notificationBody(period))
                #expect(answer.status == 503 && answer.code == "certificateRevoked")
                #expect(answer.headers[.retryAfter] != nil)
            }
            let upload = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(upload.status == 422 && upload.code == "certificateRevoked")
            let retried = try await client.send(.post, "/v1/quarantine:retry", .decision())
            #expect(retried.status == 200 && retried.json["read"]?.int64 == 3)
            #expect(retried.json["appended"]?.int64 == 0)
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.log.head().position == 0)
            #expect(try await ledger.operations.quarantineCount() == 3)
            let text = try await client.get("/metrics").text
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
        let (place, _) = try place(Responder(nil))
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.notify(purchase.notificationBody())
            #expect(answer.status == 503 && answer.code == "revocationUnknown")
            let upload = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(upload.status == 503 && upload.code == "revocationUnknown")
            #expect(
                try await host.ledger(.production).ledger.operations.quarantineCount() == 0)
        }
    }
}
