public import AppStore
internal import Signing

/// Converts deliveries to lines that `ingest` reads (`Contract.md`, `ingest`), signed by a
/// disposable authority. Payloads follow from the seed; ECDSA signatures differ each time.
public struct DeliverySigner: Sendable {
    /// The payload as a compact JWS.
    private let token: @Sendable (_ payload: [UInt8]) throws -> [UInt8]
    private let appAppleId: Int64?

    /// Status responses include `appAppleId`, as Apple's in Production do; nil omits it.
    public init(authority: Authority, appAppleId: Int64? = nil) {
        token = { try authority.sign($0) }
        self.appAppleId = appAppleId
    }

    /// Well-formed JWS with headers like those of `authority` and random signatures, to measure the
    /// stages after verification with more events than can be signed.
    public init(unsignedLike authority: Authority) {
        let headerSegment = authority.headerSegment
        token = { payload in
            var chance = SeededGenerator(seed: UInt64(truncatingIfNeeded: payload.hashValue))
            var signature: [UInt8] = []
            while signature.count < CompactJWS.signatureByteCount {
                withUnsafeBytes(of: chance.next()) { signature.append(contentsOf: $0) }
            }
            return CompactJWS.assemble(
                headerSegment: headerSegment, payload: payload, signature: signature)
        }
        appAppleId = nil
    }

    /// One line, without its line feed. Throws only the errors of signing.
    ///
    /// - Parameter isDated: without an arrival time it is a body, as Apple or an app sends it.
    public func line(_ delivery: Delivery, isDated: Bool = true) throws -> [UInt8] {
        let writeMembers: (inout JSONWriter) -> Void
        switch delivery.evidence {
        case .notification(let notification, let transaction, let renewal):
            let signed = try signedPayload(notification, transaction, renewal)
            writeMembers = { $0.member("signedPayload", signed) }
        case .transaction(let transaction):
            let signed = try sign(transaction.encoded())
            writeMembers = { $0.member("signedTransactionInfo", signed) }
        case .pair(let transaction, let renewal, let status):
            writeMembers = try pair(transaction, renewal, status)
        }
        let receivedAt = isDated ? delivery.receivedAt : nil
        var json = JSONWriter(reservingCapacity: 24_000)
        json.object { json in
            json.memberIfPresent("receivedAt", receivedAt)
            writeMembers(&json)
        }
        return json.bytes
    }

    /// A compact JWS of any payload.
    public func sign(_ payload: [UInt8]) throws -> String {
        String(decoding: try token(payload), as: UTF8.self)
    }

    /// A notification as Apple signs it, nested parts first. Throws only the errors of signing.
    public func signedPayload(
        _ notification: NotificationPayload, _ transaction: TransactionPayload?,
        _ renewal: RenewalPayload?
    ) throws -> String {
        var notification = notification
        if let transaction {
            notification.data?.signedTransactionInfo = try sign(transaction.encoded())
        }
        if let renewal { notification.data?.signedRenewalInfo = try sign(renewal.encoded()) }
        return try sign(notification.encoded())
    }

    /// A status response with one item, the only format with Apple's unsigned status (App Store
    /// Server API, Get All Subscription Statuses).
    private func pair(
        _ transaction: TransactionPayload, _ renewal: RenewalPayload,
        _ status: Raw<SubscriptionStatus>?
    ) throws -> (inout JSONWriter) -> Void {
        let signedTransaction = try sign(transaction.encoded())
        let signedRenewal = try sign(renewal.encoded())
        return { json in
            guard let status else {
                json.member("signedTransactionInfo", signedTransaction)
                json.member("signedRenewalInfo", signedRenewal)
                return
            }
            json.memberIfPresent("environment", transaction.environment)
            json.memberIfPresent("bundleId", transaction.bundleId)
            json.memberIfPresent("appAppleId", appAppleId)
            json.objects("data", [transaction.subscriptionGroupIdentifier]) { json, group in
                json.memberIfPresent("subscriptionGroupIdentifier", group)
                json.objects("lastTransactions", [status]) { json, status in
                    json.memberIfPresent(
                        "originalTransactionId", transaction.originalTransactionId)
                    json.member("status", status)
                    json.member("signedTransactionInfo", signedTransaction)
                    json.member("signedRenewalInfo", signedRenewal)
                }
            }
        }
    }
}
