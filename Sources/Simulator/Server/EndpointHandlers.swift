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

    /// The newest transaction that has begun: neither a renewal signed early, nor an older one that
    /// was changed since.
    func currentTransaction(_ chain: ServedRecords.Chain) -> TransactionPayload? {
        func begin(_ transaction: TransactionPayload) -> Timestamp {
            transaction.purchaseDate ?? Timestamp(milliseconds: 0)
        }
        return chain.transactions(at: now).filter { begin($0) <= now }
            .max { begin($0) < begin($1) }
    }

    /// An end of the transaction's period with the days that requests have added.
    func extended(_ end: Timestamp, of transaction: TransactionPayload) -> Timestamp {
        let chain = transaction.originalTransactionId?.rawValue ?? ""
        let extensions = api.state.withLock { $0.extensions[chain] ?? [] }
        let days = extensions.filter { $0.transaction == transaction.key && $0.at <= now }
            .reduce(0) { $0 + $1.days }
        return end.advanced(byMilliseconds: days * 86_400_000)
    }

    /// When the records state the status and renewal info of now: in days that a request added,
    /// just before them, since the records have the end without these days.
    func statusMoment(_ chain: ServedRecords.Chain) -> Timestamp {
        guard let current = currentTransaction(chain), current.revocationDate == nil,
            let end = current.expiresDate, end <= now, now < extended(end, of: current)
        else { return now }
        return end.advanced(byMilliseconds: -1)
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
        let purchased = transaction.purchaseDate ?? now
        let token = tokens(transaction.originalTransactionId).last { $0.from <= purchased }
        if let token { payload.appAccountToken = token.token }
        payload.expiresDate = transaction.expiresDate.map { extended($0, of: transaction) }
        if fault == .anotherApp { payload.bundleId = EndpointHandlers.otherApp }
        return sign(payload.encoded())
    }

    /// A renewal info as Apple signs it now. Days that were added to the current transaction move
    /// the renewal after it only, not that after a renewal signed early.
    func sign(_ renewal: RenewalPayload, after current: TransactionPayload?) -> String {
        var payload = renewal
        payload.signedDate = now
        if let set = tokens(renewal.originalTransactionId).last {
            payload.appAccountToken = set.token
        }
        if let current, let end = current.expiresDate, renewal.renewalDate == end {
            payload.renewalDate = extended(end, of: current)
        }
        return sign(payload.encoded())
    }

    private func tokens(_ chain: OriginalTransactionId?) -> [(from: Timestamp, token: String)] {
        api.state.withLock { $0.tokens[chain?.rawValue ?? ""] ?? [] }
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
