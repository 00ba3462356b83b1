import AppStore
import Intake
import LedgerTestSupport
import Queries
import Signing
import TestSupport
import Testing

/// App Store Server API bodies made of genuine JWS (`Contract.md`, `ingest`).
@Suite("API response bodies", Fixtures.condition)
struct ResponseBodyTests {
    /// Transactions of the real subscriber and the renewal infos that were sent with them.
    private static let pairs = [
        ("050-transaction.jws", "075-renewal.jws"), ("052-transaction.jws", "077-renewal.jws"),
        ("056-transaction.jws", "081-renewal.jws"),
    ]

    private func ledger() throws -> TemporaryLedger {
        var ledger = try TemporaryLedger(environment: .sandbox, apps: [Fixtures.subscriberApp])
        ledger.roots = .apple
        return ledger
    }

    private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("A pair is one event of the renewal pair kind")
    func pair() async throws {
        let (transaction, renewal) = ResponseBodyTests.pairs[0]
        let ledger = try ledger()
        let line = json(
            #"{"signedTransactionInfo":"\#(try Fixtures.text(transaction))","#
                + #""signedRenewalInfo":"\#(try Fixtures.text(renewal))","status":1}"#)
        let summary = try await ledger.ingest([line, line])
        #expect(summary.read == 2)
        #expect(summary.appended == 1)
        #expect(summary.duplicates == 1)
        let events = try await ledger.exportLines(.events)
        #expect(events.map { $0["kind"]?.string } == ["renewalPair"])
        let show = try await ledger.show(
            Fixtures.subscriberId, at: try Timestamp.stated("2025-10-01T07:10:00.000Z"))
        #expect(show["state"]?.string == "renewing")
        #expect(show["willRenew"]?.bool == true)
    }

    @Test("A renewal info that belongs to another chain is refused with its transaction")
    func unrelatedPair() async throws {
        let line = json(
            #"{"signedTransactionInfo":"\#(try Fixtures.text("050-transaction.jws"))","#
                + #""signedRenewalInfo":"\#(try Fixtures.text("071-renewal.jws"))"}"#)
        let summary = try await ledger().ingest([line])
        #expect(summary.rejected == 1)
        #expect(summary.errors.map(\.code) == ["nestedPartInvalid"])
    }

    @Test("A renewal info without its transaction is refused")
    func renewalAlone() async throws {
        let line = json(#"{"signedRenewalInfo":"\#(try Fixtures.text("075-renewal.jws"))"}"#)
        let summary = try await ledger().ingest([line])
        #expect(summary.errors.map(\.code) == ["undecodablePayload"])
        #expect(summary.errors.map(\.input.last) == ["1"])
    }

    @Test("A statuses body has as many pieces as items; a bad one does not stop the others")
    func statuses() async throws {
        let items = try ResponseBodyTests.pairs.map { transaction, renewal in
            #"{"originalTransactionId":"\#(Fixtures.subscriberId)","status":1,"#
                + #""signedTransactionInfo":"\#(try Fixtures.text(transaction))","#
                + #""signedRenewalInfo":"\#(try Fixtures.text(renewal))"}"#
        }
        let bad = #"{"originalTransactionId":"1","status":2,"signedTransactionInfo":7}"#
        let list = [items[0], bad, items[1], items[2]].joined(separator: ",")
        let body = json(
            #"{"environment":"Sandbox","bundleId":"\#(Fixtures.subscriberApp)","data":["#
                + #"{"subscriptionGroupIdentifier":"21752814","lastTransactions":[\#(list)]}]}"#)
        let ledger = try ledger()
        let summary = try await ledger.ingest([body])
        #expect(summary.read == 4)
        #expect(summary.appended == 3)
        #expect(summary.rejected == 1)
        let error = try #require(summary.errors.first)
        #expect(error.code == "undecodablePayload")
        #expect(error.input.hasSuffix("input.ndjson:1"))
        #expect(error.message.contains("Item 2"))
    }

    @Test("A history body is one transaction each, with a garbled one in the middle")
    func history() async throws {
        let tokens = try (50...57).map { try Fixtures.text("0\($0)-transaction.jws") }
        let garbled = tokens[3].dropLast(8) + "AAAAAAAA"
        let list = (tokens[..<4] + [String(garbled)] + tokens[4...])
            .map { "\"\($0)\"" }.joined(separator: ",")
        let body = json(
            #"{"receivedAt":1760000000000,"revision":"r","hasMore":false,"environment":"Sandbox","#
                + #""bundleId":"x","signedTransactions":[\#(list)]}"#)
        let ledger = try ledger()
        let summary = try await ledger.ingest([body])
        #expect(summary.read == 9)
        #expect(summary.appended == 8)
        #expect(summary.errors.map(\.code) == ["signatureMismatch"])
        let events = try await ledger.exportLines(.events)
        #expect(Set(events.map { $0["kind"]?.string }) == ["transaction"])
        #expect(Set(events.map { $0["receivedAt"]?.string }) == ["2025-10-09T08:53:20.000Z"])
        #expect(Set(events.map { $0["receivedAtClaimed"]?.bool }) == [true])
    }

    @Test("A notification history body is one notification each")
    func notificationHistory() async throws {
        let items = try Fixtures.subscriber.map { file in
            #"{"signedPayload":"\#(try Fixtures.text(file))","sendAttempts":"#
                + #"[{"attemptDate":1759302519000,"sendAttemptResult":"SUCCESS"}]}"#
        }
        let bad = #"{"signedPayload":"a.b.c"}"#
        let list = (items[..<4] + [bad] + items[4...]).joined(separator: ",")
        let ledger = try ledger()
        let summary = try await ledger.ingest([
            json(#"{"hasMore":false,"notificationHistory":[\#(list)]}"#)
        ])
        #expect(summary.read == 9)
        #expect(summary.appended == 8)
        #expect(summary.errors.map(\.code) == ["malformedJWS"])
        let again = try await ledger.ingest(try Fixtures.subscriber.map { try Fixtures.jws($0) })
        #expect(again.duplicates == 8)
    }

    @Test("A transaction info body is one transaction")
    func transactionInfo() async throws {
        let token = try Fixtures.text("050-transaction.jws")
        let ledger = try ledger()
        let summary = try await ledger.ingest([json(#"{"signedTransactionInfo":"\#(token)"}"#)])
        #expect(summary.appended == 1)
        let again = try await ledger.ingest([Array(token.utf8)])
        #expect(again.duplicates == 1)
    }

    @Test("A body in several lines is one body")
    func prettyPrinted() async throws {
        let tokens = try (50...52).map { try Fixtures.text("0\($0)-transaction.jws") }
        let list = tokens.map { "    \"\($0)\"" }.joined(separator: ",\n")
        let body = "{\n  \"hasMore\": false,\n  \"signedTransactions\": [\n\(list)\n  ]\n}\n"
        let summary = try await ledger().ingest(file: Array(body.utf8))
        #expect(summary.read == 3)
        #expect(summary.appended == 3)
        #expect(summary.isClean)
    }

    @Test("API responses alone give the same states as the notifications did")
    func sameStates() async throws {
        let fromNotifications = try ledger()
        _ = try await fromNotifications.ingest(
            try Fixtures.subscriber.map { try Fixtures.jws($0) })
        let fromTransactions = try ledger()
        _ = try await fromTransactions.ingest(
            try (50...57).map { try Fixtures.jws("0\($0)-transaction.jws") })
        let (one, two) = (
            try await fromNotifications.timeline(Fixtures.subscriberId)["intervals"],
            try await fromTransactions.timeline(Fixtures.subscriberId)["intervals"]
        )
        #expect(one != nil)
        #expect(one == two)
    }
}
