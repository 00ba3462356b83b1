import AppStore
import LedgerTestSupport
import Simulator

/// One subscription bought and renewed, with the bodies that Apple and an app send.
struct MadePurchase: Sendable {
    static let app = MadeChain.app
    static let appAppleId = MadeChain.appAppleId
    static let periodMilliseconds = MadeChain.periodMilliseconds

    var id = "500000000000001"
    var bundleId = MadePurchase.app
    var environment: Environment? = .production
    /// Whether a notification states the environment itself, besides its signed parts.
    var dataHasEnvironment = true
    var appAccountToken: String?
    /// 2026-01-10T12:00:00.000Z.
    var start = Timestamp(milliseconds: 1_768_046_400_000)

    private var chain: MadeChain {
        MadeChain(
            id: id, bundleId: bundleId, environment: environment, start: start,
            appAccountToken: appAccountToken)
    }

    func start(_ period: Int) -> Timestamp { chain.start(period) }

    func transactionId(_ period: Int) -> String { chain.transactionId(period) }

    private func signed(_ period: Int) -> Timestamp {
        start(period).advanced(byMilliseconds: 3_000)
    }

    func transaction(_ period: Int) -> TransactionPayload {
        chain.transaction(period, signed: signed(period))
    }

    /// SUBSCRIBED for the first period, DID_RENEW for later ones.
    func notification(_ period: Int) -> MadeDelivery {
        let made =
            period == 0
            ? chain.bought() : chain.notification(.didRenew, nil, period, at: signed(period))
        return dataHasEnvironment ? made : made.with { $0.data?.environment = nil }
    }

    // MARK: Bodies

    /// The body Apple would post.
    func notificationBody(_ period: Int = 0) throws -> [UInt8] {
        MadePurchase.body(try notification(period).token())
    }

    /// The same of the refund of a period, a day after its start.
    func refundBody(_ period: Int = 0) throws -> [UInt8] {
        let refundedAt = start(period).advanced(byMilliseconds: 86_400_000)
        let refund = chain.notification(.refund, nil, period, at: refundedAt, status: .revoked)
            .withTransaction { $0.revocationDate = refundedAt }
        return MadePurchase.body(try refund.token())
    }

    static func body(_ token: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.member("signedPayload", token) }
        return json.bytes
    }

    /// The body an app would send.
    func uploadBody(_ period: Int = 0, customer: String? = nil) throws -> [UInt8] {
        try MadePurchase.upload(transaction(period), customer: customer)
    }

    static func upload(
        _ transaction: TransactionPayload, customer: String? = nil
    ) throws -> [UInt8] {
        let token = try TestAuthority.signer.sign(transaction.encoded())
        var json = JSONWriter()
        json.object {
            $0.member("signedTransactionInfo", token)
            $0.memberIfPresent("customer", customer)
        }
        return json.bytes
    }
}
