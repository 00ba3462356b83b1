import AppStore
import LedgerTestSupport
import Simulator

/// A subscription of two periods, bought on 2026-01-10, renewed, turned off and expired, as lines
/// that `ingest` takes.
enum Evidence {
    static let id = "600000000000001"
    static let app = "com.example.app"

    /// A data directory, the app and the root of the authority.
    static let options = ["--data", "data", "--bundle-id", app, "--trust-root", "root.der"]

    static let lines: [String] = {
        do {
            return [
                try line("SUBSCRIBED", "INITIAL_BUY", 0, at: start + 3_000),
                try line("DID_RENEW", nil, 1, at: start + month + 5_000),
                try line(
                    "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", 1,
                    at: start + month + 864_000_000, renews: 0),
                try line(
                    "EXPIRED", "VOLUNTARY", 1, at: start + 2 * month + 30_000, renews: 0,
                    status: 2),
            ]
        } catch { fatalError("the lines cannot be signed: \(error)") }
    }()

    /// 2026-01-10T12:00:00.000Z and thirty days, milliseconds.
    static let start: Int64 = 1_768_046_400_000
    static let month: Int64 = 2_592_000_000

    static func line(
        _ type: String, _ subtype: String?, _ period: Int64, at signed: Int64, renews: Int = 1,
        status: Int = 1, id: String = id, app: String = app, environment: String = "Production",
        storefront: String = "USA", isDated: Bool = true, received: Int64? = nil
    ) throws -> String {
        let to = start + (period + 1) * month
        let transaction = try transaction(
            period, at: signed, id: id, app: app, environment: environment, storefront: storefront)
        let renewal = try sign(
            #"{"originalTransactionId":"\#(id)","productId":"com.example.pro","#
                + #""autoRenewProductId":"com.example.pro","autoRenewStatus":\#(renews),"#
                + #""renewalDate":\#(to),"signedDate":\#(signed),"environment":"\#(environment)"}"#)
        let name = subtype.map { #""subtype":"\#($0)","# } ?? ""
        let date = isDated ? #""signedDate":\#(signed),"# : ""
        let payload = try sign(
            #"{"notificationType":"\#(type)",\#(name)"notificationUUID":"\#(id)-\#(signed)","#
                + #""version":"2.0",\#(date)"data":{"bundleId":"\#(app)","#
                + #""environment":"\#(environment)","status":\#(status),"#
                + #""signedTransactionInfo":"\#(transaction)","#
                + #""signedRenewalInfo":"\#(renewal)"}}"#)
        return #"{"receivedAt":\#(received ?? signed + 1_000),"signedPayload":"\#(payload)"}"#
    }

    private static func transaction(
        _ period: Int64, at signed: Int64, id: String = id, app: String = app,
        environment: String = "Production", storefront: String = "USA"
    ) throws -> String {
        let transactionId = period == 0 ? id : "\(id)\(period)"
        let (from, to) = (start + period * month, start + (period + 1) * month)
        return try sign(
            #"{"transactionId":"\#(transactionId)","originalTransactionId":"\#(id)","#
                + #""bundleId":"\#(app)","productId":"com.example.pro","purchaseDate":\#(from),"#
                + #""originalPurchaseDate":\#(start),"expiresDate":\#(to),"quantity":1,"#
                + #""type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","#
                + #""signedDate":\#(signed),"environment":"\#(environment)","price":9990,"#
                + #""currency":"USD","storefront":"\#(storefront)","#
                + #""transactionReason":"\#(period == 0 ? "PURCHASE" : "RENEWAL")"}"#)
    }

    /// The purchase by a notification without a date, or by a pair whose renewal info is `null`;
    /// received, as the line claims, before the certificates were valid.
    static func undated(isPair: Bool) throws -> String {
        let (signed, received) = (start + 3_000, Int64(1_546_300_800_000))
        guard isPair else {
            return try line(
                "SUBSCRIBED", "INITIAL_BUY", 0, at: signed, isDated: false, received: received)
        }
        return #"{"receivedAt":\#(received),"signedTransactionInfo":"#
            + #""\#(try transaction(0, at: signed))","signedRenewalInfo":"\#(try sign("null"))"}"#
    }

    static func sign(_ payload: String) throws -> String {
        String(decoding: try TestAuthority.shared.sign(Array(payload.utf8)), as: UTF8.self)
    }
}
