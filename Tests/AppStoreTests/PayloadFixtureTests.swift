import AppStore
import TestSupport
import Testing

/// Published payloads, compared with the tree of Foundation's decoder.
@Suite("Published payloads", Fixtures.condition)
struct PayloadFixtureTests {
    /// Decodes, encodes, and compares both as trees; then once more, which must change nothing.
    private func decode<Payload: WireObject>(
        _ type: Payload.Type, _ bytes: [UInt8]
    ) throws -> Payload {
        let payload = try Payload.decode(bytes)
        let encoded = payload.encoded()
        #expect(try OracleTree.read(encoded) == OracleTree.read(bytes).afterDecoding)
        #expect(try Payload.decode(encoded) == payload)
        #expect(try Payload.decode(encoded).encoded() == encoded)
        #expect(payload.unknownValues == [])
        #expect(payload.unknown.isEmpty)
        return payload
    }

    @Test("Notifications", arguments: Fixtures.notifications)
    func notifications(_ path: String) throws {
        let payload = try decode(NotificationPayload.self, try Fixtures.payload(path))
        #expect(payload.data?.unknown.isEmpty == true)
        #expect(payload.bundleId == payload.data?.bundleId)
    }

    @Test("Transactions", arguments: Fixtures.transactions)
    func transactions(_ path: String) throws {
        _ = try decode(TransactionPayload.self, try Fixtures.payload(path))
    }

    @Test("Renewal infos", arguments: Fixtures.renewals)
    func renewals(_ path: String) throws {
        _ = try decode(RenewalPayload.self, try Fixtures.payload(path))
    }

    @Test("App transactions", arguments: Fixtures.appTransactions)
    func appTransactions(_ path: String) throws {
        _ = try decode(AppTransactionPayload.self, try Fixtures.payload(path))
    }

    @Test("Signed null renewal infos", arguments: Fixtures.nulls)
    func nulls(_ path: String) throws {
        let bytes = try Fixtures.payload(path)
        #expect(try RenewalPayload.decodeUnlessNull(bytes) == nil)
        #expect(throws: JSONError.self) { try RenewalPayload.decode(bytes) }
    }

    @Test(
        "Apple's model notifications",
        arguments: [
            "signedNotification", "signedConsumptionRequestNotification",
            "signedExternalPurchaseTokenNotification",
            "signedExternalPurchaseTokenSandboxNotification",
            "signedRescindConsentNotification", "signedSummaryNotification",
        ])
    func modelNotifications(_ name: String) throws {
        let bytes = try Fixtures.bytes("apple-library/models/\(name).json")
        let payload = try decode(NotificationPayload.self, bytes)
        #expect(payload.bundleId == BundleId("com.example"))
        let isToken = name.contains("ExternalPurchaseToken")
        let expected: AppStore.Environment =
            isToken ? (name.contains("Sandbox") ? .sandbox : .production) : .localTesting
        #expect(payload.environment?.value == expected)
        #expect(payload.appAppleId == (isToken ? 55555 : 41234))
    }

    @Test(
        "Apple's model transactions",
        arguments: ["signedTransaction", "signedTransactionWithRevocation"])
    func modelTransactions(_ name: String) throws {
        let bytes = try Fixtures.bytes("apple-library/models/\(name).json")
        let payload = try decode(TransactionPayload.self, bytes)
        #expect(payload.type?.value == .autoRenewableSubscription)
        #expect(payload.revocationReason?.value == .refundedDueToIssue)
        guard name == "signedTransaction" else {
            #expect(payload.revocationType?.value == .refundProrated)
            #expect(payload.revocationPercentage == 50000)
            return
        }
        #expect(payload.commitmentInfo?.commitmentPrice == 119_880)
        let item = try #require(payload.advancedCommerceInfo?.items?.first)
        #expect(item.sku == "com.example.sku.premium")
        #expect(item.refunds?.first?.refundReason?.value == .fulfillmentIssue)
        #expect(item.refunds?.first?.refundType?.value == .prorated)
        #expect(item.revocationDate == Timestamp(milliseconds: 1_698_149_200_000))
        #expect(payload.advancedCommerceInfo?.taxRate == "0.15")
        #expect(payload.advancedCommerceInfo?.period?.value == .oneMonth)
        #expect(payload.advancedCommerceInfo?.descriptors?.displayName == "Premium")
    }

    @Test("Apple's model renewal info")
    func modelRenewal() throws {
        let bytes = try Fixtures.bytes("apple-library/models/signedRenewalInfo.json")
        let payload = try decode(RenewalPayload.self, bytes)
        #expect(payload.expirationIntent?.value == .customerCancelled)
        #expect(payload.commitmentInfo?.commitmentAutoRenewStatus?.value == .on)
        #expect(payload.advancedCommerceInfo?.consistencyToken == "token-abc-123")
        let increase = payload.advancedCommerceInfo?.items?.first?.priceIncreaseInfo
        #expect(increase?.status?.value == .pending)
        #expect(increase?.price == 12990)
        #expect(increase?.dependentSKUs == ["com.example.sku.1", "com.example.sku.2"])
    }

    @Test("Apple's model app transaction and app data")
    func modelAppTransaction() throws {
        let bytes = try Fixtures.bytes("apple-library/models/appTransaction.json")
        let payload = try decode(AppTransactionPayload.self, bytes)
        #expect(payload.originalPlatform?.value == .iOS)
        let data = try decode(AppData.self, try Fixtures.bytes("apple-library/models/appData.json"))
        #expect(data.appAppleId == 987_654_321)
    }

    @Test("Xcode's fractions of a millisecond and its 1 January of year 1")
    func xcode() throws {
        let transaction = try decode(
            TransactionPayload.self,
            Fixtures.payload("apple-library/xcode/xcode-signed-transaction"))
        #expect(transaction.purchaseDate == Timestamp(milliseconds: 1_697_679_936_050))
        #expect(transaction.signedDate == Timestamp(milliseconds: 1_697_679_936_056))
        #expect(transaction.environment?.value == .xcode)
        let renewal = try decode(
            RenewalPayload.self, Fixtures.payload("apple-library/xcode/xcode-signed-renewal-info"))
        #expect(renewal.signedDate == Timestamp(milliseconds: 1_697_679_936_711))
        let app = try decode(
            AppTransactionPayload.self,
            Fixtures.payload("apple-library/xcode/xcode-signed-app-transaction"))
        #expect(app.originalPurchaseDate == Timestamp(milliseconds: -62_135_769_600_000))
        #expect(app.requestDate == Timestamp(milliseconds: 1_697_680_122_257))
    }

    @Test("A notification from before mid-2022 has no signedDate")
    func withoutSignedDate() throws {
        let path = try #require(Fixtures.notifications.first { $0.contains("NO_SIGNEDDATE") })
        let payload = try decode(NotificationPayload.self, Fixtures.payload(path))
        #expect(payload.signedDate == nil)
        #expect(payload.notificationType?.value == .didRenew)
    }

    @Test(
        "Complete models of the server API survive as trees",
        arguments: [
            "transactionHistoryResponse", "getAllSubscriptionStatusesResponse",
            "getNotificationHistoryResponse", "advancedCommerceResponseWithUnknownFields",
            "performanceTestResultResponse",
        ])
    func trees(_ name: String) throws {
        let bytes = try Fixtures.bytes("apple-library/models/\(name).json")
        let value = try JSONValue.parse(bytes)
        #expect(OracleTree(value) == (try OracleTree.read(bytes)))
        #expect(try JSONValue.parse(value.encoded()) == value)
        #expect(try JSONValue.parse(value.canonical()).canonical() == value.canonical())
    }
}
