import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Reports
import SQLiteStore
import Signing
import Simulator
import Testing

@Suite("Evidence with dates outside the calendar")
struct DateBoundTests {
    private static let chain = MadeChain(id: "690000000000001")

    /// Appends what an earlier release would have accepted.
    private func append(_ delivery: MadeDelivery, to ledger: TemporaryLedger) async throws {
        guard case .notification(let payload, let transaction?, _) = delivery.evidence else {
            return
        }
        let token = Array(try delivery.token().utf8)
        try await ledger.ledger { ledger in
            let event = NewEvent(
                key: SHA256.hash(token),
                attributes: EventAttributes(
                    kind: .notification, source: .webhook, trust: .signed,
                    bundleId: BundleId(MadeChain.app), chain: transaction.originalTransactionId,
                    notificationType: payload.notificationType?.rawValue,
                    signedAt: payload.signedDate),
                receivedAt: delivery.receivedAt, evidence: try ledger.log.packer.pack(.jws(token)))
            _ = try await ledger.log.append([event])
        }
    }

    private func withEnd(_ milliseconds: Int64, of chain: MadeChain = DateBoundTests.chain)
        -> MadeDelivery
    {
        chain.bought().withTransaction {
            $0.expiresDate = Timestamp(milliseconds: milliseconds)
        }
    }

    @Test("The intake refuses a date past the bound, keeps the evidence and names the field")
    func refused() async throws {
        let ledger = try TemporaryLedger()
        let dates = [
            Timestamp.latest.milliseconds + 1, Timestamp.earliest.milliseconds - 1, .max, .min,
        ]
        let summary = try await ledger.ingest(dates.map { withEnd($0) })
        #expect(summary.appended == 0 && summary.rejected == 4 && summary.errors.count == 4)
        for error in summary.errors {
            #expect(error.code == "nestedPartInvalid")
            #expect(error.message.contains("numberOutOfRange"))
            #expect(error.message.contains("expiresDate"))
        }
        let items = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        #expect(items.map(\.standing) == Array(repeating: .genuineConfigured, count: 4))
    }

    @Test("At the bound it is accepted")
    func taken() async throws {
        let ledger = try TemporaryLedger()
        let other = MadeChain(id: "690000000000002")
        let summary = try await ledger.ingest([
            withEnd(Timestamp.latest.milliseconds),
            withEnd(Timestamp.earliest.milliseconds, of: other),
        ])
        #expect(summary.appended == 2 && summary.isClean)
    }

    @Test("A stated receivedAt has the same bound")
    func receivedAt() async throws {
        let ledger = try TemporaryLedger()
        for stated in ["9223372036854775807", "\"9223372036854775807\"", "-62135769600001"] {
            let line = "{\"receivedAt\":\(stated),\"signedPayload\":\"\(try withEnd(1).token())\"}"
            let summary = try await ledger.ingest([Array(line.utf8)])
            #expect(summary.rejected == 1)
            #expect(summary.errors.first?.code == "undecodablePayload")
        }
    }

    @Test(
        "A log that holds such dates is read, queried, counted and exported",
        arguments: [Int64.max, .min])
    func old(_ milliseconds: Int64) async throws {
        let ledger = try TemporaryLedger()
        let chain = Self.chain
        let end = Timestamp(milliseconds: milliseconds)
        try await append(withEnd(milliseconds), to: ledger)
        try await append(
            chain.renewed(1).withTransaction {
                $0.purchaseDate = end
                $0.originalPurchaseDate = end
                $0.expiresDate = end
                $0.revocationDate = end
            }, to: ledger)
        var late = chain.turnedOff(0).with { $0.signedDate = end }
        late.receivedAt = end
        try await append(late, to: ledger)
        try await ledger.session { session in
            for zone in ["UTC", "America/New_York", "Pacific/Kiritimati"] {
                let export = try #require(
                    WarehouseExport(snapshot: session.snapshot, reportTimeZone: zone))
                for subject in WarehouseSubject.allCases {
                    var bytes: [UInt8] = []
                    try await export.run(subject, format: .ndjson) { bytes += $0 }
                    #expect(subject == .facts || !bytes.isEmpty, "\(zone)")
                }
            }
        }
        #expect(try await ledger.exportLines(.events).count == 3)
        #expect(try await ledger.show(chain.id)["state"]?.string != nil)
        _ = try await ledger.timeline(chain.id)
    }
}
