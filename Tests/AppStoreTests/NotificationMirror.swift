import AppStore
import Testing

/// `NotificationPayload` as Foundation decodes it.
struct NotificationMirror: Decodable {
    var notificationType: String?
    var subtype: String?
    var notificationUUID: String?
    var version: String?
    var signedDate: Double?
    var data: NotificationDataMirror?
    var summary: NotificationSummaryMirror?
    var externalPurchaseToken: ExternalPurchaseTokenMirror?
    var appData: AppDataMirror?

    func expectSame(as payload: NotificationPayload) {
        #expect(payload.notificationType?.rawValue == notificationType)
        #expect(payload.subtype?.rawValue == subtype)
        #expect(payload.notificationUUID?.rawValue == notificationUUID)
        #expect(payload.version == version)
        #expect(payload.signedDate?.milliseconds == signedDate.map(wholeMilliseconds))
        #expect((payload.data == nil) == (data == nil))
        if let data, let inner = payload.data { data.expectSame(as: inner) }
        #expect((payload.summary == nil) == (summary == nil))
        if let summary, let inner = payload.summary { summary.expectSame(as: inner) }
        #expect((payload.externalPurchaseToken == nil) == (externalPurchaseToken == nil))
        if let externalPurchaseToken, let inner = payload.externalPurchaseToken {
            externalPurchaseToken.expectSame(as: inner)
        }
        #expect((payload.appData == nil) == (appData == nil))
        if let appData, let inner = payload.appData { appData.expectSame(as: inner) }
    }
}

/// `NotificationData` as Foundation decodes it.
struct NotificationDataMirror: Decodable {
    var environment: String?
    var appAppleId: Int64?
    var bundleId: String?
    var bundleVersion: String?
    var signedTransactionInfo: String?
    var signedRenewalInfo: String?
    var status: Int64?
    var consumptionRequestReason: String?

    func expectSame(as payload: NotificationData) {
        #expect(payload.environment?.rawValue == environment)
        #expect(payload.appAppleId == appAppleId)
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(payload.bundleVersion == bundleVersion)
        #expect(payload.signedTransactionInfo == signedTransactionInfo)
        #expect(payload.signedRenewalInfo == signedRenewalInfo)
        #expect(payload.status?.rawValue == status)
        #expect(payload.consumptionRequestReason?.rawValue == consumptionRequestReason)
    }
}

/// `NotificationSummary` as Foundation decodes it.
struct NotificationSummaryMirror: Decodable {
    var requestIdentifier: String?
    var environment: String?
    var appAppleId: Int64?
    var bundleId: String?
    var productId: String?
    var storefrontCountryCodes: [String]?
    var succeededCount: Int64?
    var failedCount: Int64?

    func expectSame(as payload: NotificationSummary) {
        #expect(payload.requestIdentifier == requestIdentifier)
        #expect(payload.environment?.rawValue == environment)
        #expect(payload.appAppleId == appAppleId)
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(payload.productId?.rawValue == productId)
        #expect(payload.storefrontCountryCodes == storefrontCountryCodes)
        #expect(payload.succeededCount == succeededCount)
        #expect(payload.failedCount == failedCount)
    }
}

/// `ExternalPurchaseToken` as Foundation decodes it.
struct ExternalPurchaseTokenMirror: Decodable {
    var externalPurchaseId: String?
    var tokenCreationDate: Double?
    var appAppleId: Int64?
    var bundleId: String?
    var tokenExpirationDate: Double?
    var tokenType: String?

    func expectSame(as payload: ExternalPurchaseToken) {
        #expect(payload.externalPurchaseId == externalPurchaseId)
        #expect(payload.tokenCreationDate?.milliseconds == tokenCreationDate.map(wholeMilliseconds))
        #expect(payload.appAppleId == appAppleId)
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(
            payload.tokenExpirationDate?.milliseconds == tokenExpirationDate.map(wholeMilliseconds))
        #expect(payload.tokenType?.rawValue == tokenType)
    }
}

/// `AppData` as Foundation decodes it.
struct AppDataMirror: Decodable {
    var appAppleId: Int64?
    var bundleId: String?
    var environment: String?
    var signedAppTransactionInfo: String?

    func expectSame(as payload: AppData) {
        #expect(payload.appAppleId == appAppleId)
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(payload.environment?.rawValue == environment)
        #expect(payload.signedAppTransactionInfo == signedAppTransactionInfo)
    }
}
