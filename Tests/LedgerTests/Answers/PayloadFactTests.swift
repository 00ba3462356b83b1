import AppStore
import Ledger
import Testing

/// From Apple's payloads to facts (`Lifecycle.md` §1 and §2 rule 1).
@Suite("Facts from payloads")
struct PayloadFactTests {
    private let from = FactOrigin(
        position: 7, receivedAt: day(9), trust: .signed, digest: Digest(words: (1, 2, 3, 4)))

    private func transaction(signed: Timestamp?) -> TransactionPayload {
        var payload = TransactionPayload()
        payload.transactionId = TransactionId("2")
        payload.originalTransactionId = OriginalTransactionId("1")
        payload.type = Raw(.autoRenewableSubscription)
        payload.purchaseDate = day(0)
        payload.expiresDate = day(30)
        payload.signedDate = signed
        return payload
    }

    private func renewal(signed: Timestamp?) -> RenewalPayload {
        var payload = RenewalPayload()
        payload.signedDate = signed
        return payload
    }

    @Test("The envelope's signedDate, else the largest inside it, else none")
    func signedDate() {
        var notification = NotificationPayload()
        func date(_ transaction: Timestamp?, _ renewal: Timestamp?) -> Timestamp? {
            Fact(
                notification: notification, transaction: self.transaction(signed: transaction),
                renewal: self.renewal(signed: renewal), origin: from
            ).signedDate
        }
        #expect(date(nil, nil) == nil)
        #expect(date(day(1), nil) == day(1))
        #expect(date(day(1), day(2)) == day(2))
        #expect(date(day(3), day(2)) == day(3))
        notification.signedDate = day(1)
        #expect(date(day(3), day(2)) == day(1))
    }

    @Test("Position, arrival, trust and digest are the event's; cause and status Apple's")
    func origin() {
        var notification = NotificationPayload()
        notification.notificationType = Raw(.expired)
        notification.subtype = Raw(.voluntary)
        notification.notificationUUID = NotificationUUID("u")
        notification.signedDate = day(3)
        let fact = Fact(notification: notification, transaction: nil, renewal: nil, origin: from)
        #expect(fact.position == 7 && fact.receivedAt == day(9))
        #expect(fact.trust == .signed && fact.digest == from.digest)
        #expect(fact.cause.kind == .notification && fact.cause.subtype?.value == .voluntary)
        #expect(fact.cause.notificationUUID == NotificationUUID("u"))
        #expect(fact.flaw == nil && fact.transaction == nil)
        let pair = Fact(
            pair: transaction(signed: day(3)), renewal: nil, status: Raw(.expired), origin: from)
        #expect(pair.cause.kind == .renewalPair && pair.status?.value == .expired)
    }

    @Test("A transaction without ids, purchaseDate or, auto-renewable, end cannot be folded")
    func incomplete() {
        let changes: [(inout TransactionPayload) -> Void] = [
            { $0.transactionId = nil }, { $0.originalTransactionId = nil },
            { $0.purchaseDate = nil }, { $0.expiresDate = nil },
        ]
        for change in changes {
            var payload = transaction(signed: day(0))
            change(&payload)
            let fact = Fact(transaction: payload, origin: from)
            #expect(fact.flaw == .incompleteTransaction)
            #expect(Lifecycle([fact], environment: .production, catalogue: Catalogue()).isEmpty)
        }
        #expect(Fact(transaction: transaction(signed: day(0)), origin: from).flaw == nil)
        #expect(Fact(transaction: transaction(signed: nil), origin: from).flaw == .undated)
    }

    @Test("A one-time purchase needs no end")
    func oneTime() {
        var payload = transaction(signed: day(0))
        payload.type = Raw(.nonConsumable)
        payload.expiresDate = nil
        #expect(Fact(transaction: payload, origin: from).flaw == nil)
    }

    @Test("Unknown values are named with their part")
    func unknownValues() {
        var payload = transaction(signed: day(0))
        payload.inAppOwnershipType = Raw(rawValue: "LOANED")
        let pair = Fact(
            pair: payload, renewal: renewal(signed: nil), status: Raw(rawValue: 9), origin: from)
        #expect(pair.unknownValues == ["transaction.inAppOwnershipType", "status"])
        #expect(Fact(transaction: transaction(signed: day(0)), origin: from).unknownValues.isEmpty)
    }

    @Test("isUpgraded defaults to false, and an unstated offer to nil")
    func defaults() throws {
        let fact = Fact(transaction: transaction(signed: day(0)), origin: from)
        let snapshot = try #require(fact.transaction)
        #expect(!snapshot.isUpgraded && snapshot.offer == nil && snapshot.commitment == nil)
        var payload = transaction(signed: day(0))
        payload.offerType = Raw(.winBackOffer)
        payload.isUpgraded = true
        let other = try #require(Fact(transaction: payload, origin: from).transaction)
        #expect(other.isUpgraded && other.offer?.type?.value == .winBackOffer)
    }

    /// The reducer version that each decoder version came with; a new decoder adds a line.
    private static let versions = [
        (decoder: 7, reducer: 14), (decoder: 8, reducer: 16), (decoder: 9, reducer: 18),
        (decoder: 10, reducer: 19), (decoder: 11, reducer: 20),
        (decoder: 12, reducer: 21), (decoder: 13, reducer: 23), (decoder: 14, reducer: 25),
    ]

    @Test("A new decoder comes with a new reducer version, the only one that answers state")
    func versions() throws {
        // A proof is checked by its reducer version alone: made by another decoder, it would be
        // called false instead of made by another release.
        let newest = try #require(PayloadFactTests.versions.last)
        #expect(newest.decoder == Fact.decoderVersion)
        #expect(newest.reducer <= Lifecycle.reducerVersion)
        let pairs = zip(PayloadFactTests.versions, PayloadFactTests.versions.dropFirst())
        #expect(pairs.allSatisfy { $0.decoder < $1.decoder && $0.reducer < $1.reducer })
    }
}
