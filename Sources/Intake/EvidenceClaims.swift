package import AppStore
import Signing

/// The app and environment that refused evidence names, read without decoding the rest, which this
/// version may not understand. By itself it proves nothing.
package struct EvidenceClaims {
    private(set) var bundleId: BundleId?
    private(set) var environment: Environment?

    init() {}

    init(_ submission: Submission) {
        switch submission.form {
        case .jws(let token), .transaction(let token): read(token)
        case .pair(let transaction, _, _): read(transaction)
        case .notificationV1(let body):
            bundleId = (try? body.sealed)?.bundleId
            environment = body.claimedEnvironment
        case .receipt(let bytes):
            let receipt = try? ReceiptVerifier.readUnverified(bytes)
            bundleId = receipt?.bundleId
            environment = receipt?.environment
        // A response that cannot be decoded names nothing.
        case .verifyReceipt, .unreadable: break
        }
    }

    /// The environment that the first piece of evidence in a response of Apple names. It only
    /// selects the ledger, whose own verification decides.
    package static func environment(of body: [UInt8]) -> Environment? {
        (try? InputLine.submissions(body, input: ""))?.first
            .flatMap { EvidenceClaims($0).environment }
    }

    private mutating func read(_ token: [UInt8]) {
        guard let jws = try? CompactJWS(parsing: token),
            let payload = try? JSONValue.parse(jws.payload)
        else { return }
        let parts = EvidenceClaims.parts.compactMap { payload[$0] } + [payload]
        bundleId = parts.lazy.compactMap { $0["bundleId"]?.string }.first.map { BundleId($0) }
        environment = parts.lazy.compactMap { EvidenceClaims.environment(of: $0) }.first
    }

    /// The parts of a notification that name its app, in the order of
    /// `NotificationPayload.bundleId`.
    private static let parts = ["data", "summary", "externalPurchaseToken", "appData"]

    private static func environment(of part: JSONValue) -> Environment? {
        if let name = (part["environment"] ?? part["receiptType"])?.string {
            return Environment(rawValue: name)
        }
        var token = ExternalPurchaseToken()
        token.externalPurchaseId = part["externalPurchaseId"]?.string
        return token.environment?.value
    }
}
