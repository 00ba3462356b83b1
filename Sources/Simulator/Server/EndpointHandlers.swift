import AppStore
import Synchronization

/// Answers one authorised request as Apple documents each endpoint (App Store Server API).
struct EndpointHandlers: Sendable {
    let api: SimulatedAPI
    /// The simulated time.
    let now: Timestamp
    let fault: ServedFault?

    var books: ServedRecords { api.setup.books }

    func answer(
        _ endpoint: ServedEndpoint, _ ids: [String], _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        switch endpoint {
        case .allSubscriptionStatuses: try statuses(ids[0], request)
        case .transactionHistory: try history(ids[0], request)
        case .transactionInfo: try transactionInfo(ids[0])
        case .appTransactionInfo: try appTransactionInfo(ids[0])
        case .orderLookup: try order(ids[0])
        case .refundHistory: try refunds(ids[0], request)
        case .notificationHistory: try notifications(request)
        case .extendRenewalDate: try extend(ids[0], request)
        case .massExtendRenewalDate: try massExtend(request)
        case .massExtendRenewalDateStatus: try massExtendStatus(ids[0], ids[1])
        case .requestTestNotification: requestTest()
        case .testNotificationStatus: try testStatus(ids[0])
        case .sendConsumptionInformation: try consumption(ids[0], request)
        case .setAppAccountToken: try setToken(ids[0], request)
        case .finishTransaction: try finish(ids[0])
        case .uploadImage: try uploadImage(ids[0], request)
        case .deleteImage: try deleteImage(ids[0])
        case .imageList: imageList()
        case .uploadMessage: try uploadMessage(ids[0], request)
        case .deleteMessage: try deleteMessage(ids[0])
        case .messageList: messageList()
        case .configureDefaultMessage: try setDefault(ids, request)
        case .deleteDefaultMessage: try removeDefault(ids)
        case .defaultMessage: try defaultMessage(ids)
        case .configureRealtimeURL: try setRealtimeURL(request)
        case .deleteRealtimeURL: try removeRealtimeURL()
        case .realtimeURL: try realtimeURL()
        case .initiatePerformanceTest: try startTest(request)
        case .performanceTestResult: try testResult(ids[0])
        }
    }

    // MARK: Looking up

    /// The chain of any of the customer's ids.
    func chain(_ id: String) throws(ServedError) -> ServedRecords.Chain {
        guard EndpointHandlers.isId(id) else {
            throw ServedError(4_000_006, "Invalid transaction id.")
        }
        guard let own = books.chainOf[id], let chain = books.chains[own],
            !chain.transactions(at: now).isEmpty
        else { throw ServedError(4_040_010, "Transaction id not found.") }
        return chain
    }

    /// One transaction, by its own id.
    func transaction(_ id: String) throws(ServedError) -> TransactionPayload {
        let chain = try chain(id)
        guard let found = chain.snapshot(id, at: now) else {
            throw ServedError(4_040_010, "Transaction id not found.")
        }
        return found
    }

    static func isId(_ id: String) -> Bool {
        (1...40).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    // MARK: Signing

    /// A transaction as Apple signs it now.
    func sign(_ transaction: TransactionPayload) -> String {
        var payload = transaction
        payload.signedDate = now
        if let chain = payload.originalTransactionId?.rawValue {
            let changed = api.state.withLock { ($0.tokens[chain], $0.extensions[chain] ?? []) }
            if let token = changed.0 { payload.appAccountToken = token }
            let days = changed.1.filter { $0.at <= now }.reduce(0) { $0 + $1.days }
            if days > 0 {
                payload.expiresDate = payload.expiresDate?
                    .advanced(byMilliseconds: days * 86_400_000)
            }
        }
        if fault == .anotherApp { payload.bundleId = EndpointHandlers.otherApp }
        return sign(payload.encoded())
    }

    func sign(_ renewal: RenewalPayload) -> String {
        var payload = renewal
        payload.signedDate = now
        return sign(payload.encoded())
    }

    /// A compact JWS; a corrupt one where the script requires it.
    func sign(_ payload: [UInt8]) -> String {
        // Signing with a P-256 leaf fails only for lack of memory; the empty text then fails
        // verification.
        guard let token = try? api.setup.authority.sign(payload) else { return "" }
        let text = String(decoding: token, as: UTF8.self)
        guard fault == .badSignature else { return text }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let reversed = String(parts[2].reversed())
        // The last character of 64 bytes in base64url carries four bits, so it must remain a valid
        // one.
        return "\(parts[0]).\(parts[1]).A\(reversed.dropFirst().dropLast())A"
    }

    static let otherApp = BundleId("com.example.another-app")

    var statedBundleId: BundleId {
        fault == .anotherApp ? EndpointHandlers.otherApp : books.bundleId
    }

    /// Apple omits the number in Sandbox.
    var statedAppAppleId: Int64? {
        books.environment == .production ? books.appAppleId : nil
    }
}
