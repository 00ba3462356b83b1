import AppStore
import Testing

/// `AppTransactionPayload` as Foundation decodes it.
struct AppTransactionMirror: Decodable {
    var receiptType: String?
    var appAppleId: Int64?
    var bundleId: String?
    var applicationVersion: String?
    var versionExternalIdentifier: Int64?
    var receiptCreationDate: Double?
    var originalPurchaseDate: Double?
    var originalApplicationVersion: String?
    var preorderDate: Double?
    var deviceVerification: String?
    var deviceVerificationNonce: String?
    var appTransactionId: String?
    var originalPlatform: String?
    var storeType: String?
    var requestDate: Double?

    func expectSame(as payload: AppTransactionPayload) {
        #expect(payload.receiptType?.rawValue == receiptType)
        #expect(payload.appAppleId == appAppleId)
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(payload.applicationVersion == applicationVersion)
        #expect(payload.versionExternalIdentifier == versionExternalIdentifier)
        #expect(
            payload.receiptCreationDate?.milliseconds == receiptCreationDate.map(wholeMilliseconds))
        #expect(
            payload.originalPurchaseDate?.milliseconds
                == originalPurchaseDate.map(wholeMilliseconds))
        #expect(payload.originalApplicationVersion == originalApplicationVersion)
        #expect(payload.preorderDate?.milliseconds == preorderDate.map(wholeMilliseconds))
        #expect(payload.deviceVerification == deviceVerification)
        #expect(payload.deviceVerificationNonce == deviceVerificationNonce)
        #expect(payload.appTransactionId?.rawValue == appTransactionId)
        #expect(payload.originalPlatform?.rawValue == originalPlatform)
        #expect(payload.storeType?.rawValue == storeType)
        #expect(payload.requestDate?.milliseconds == requestDate.map(wholeMilliseconds))
    }
}
