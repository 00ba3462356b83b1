import AppStore
import Intake
import Projection
import TestSupport

/// The life of a made chain as original StoreKit evidence.
extension MadeChain {
    package static let secret = "0123456789abcdef0123456789abcdef"

    package func start(_ period: Int, _ more: Int64) -> Timestamp {
        start(period).advanced(byMilliseconds: more)
    }

    /// One element of latest_receipt_info.
    package func receiptInfo(_ period: Int, cancelled: Timestamp? = nil) -> JSONValue {
        var members: [JSONMember] = []
        func add(_ key: String, _ text: String?) {
            if let text { members.append(JSONMember(key: key, value: .string(text))) }
        }
        add("quantity", "1")
        add("product_id", product)
        add("transaction_id", transactionId(period))
        add("original_transaction_id", id)
        add("purchase_date_ms", "\(start(period).milliseconds)")
        add("original_purchase_date_ms", "\(start.milliseconds)")
        add("expires_date_ms", "\(start(period + 1).milliseconds)")
        add("web_order_line_item_id", "6\(transactionId(period))")
        add("is_trial_period", "false")
        add("cancellation_date_ms", cancelled.map { "\($0.milliseconds)" })
        add("app_account_token", appAccountToken)
        return .object(members)
    }

    package func pending(willRenew: Bool = true, isRetrying: Bool = false) -> JSONValue {
        .object([
            JSONMember(key: "original_transaction_id", value: .string(id)),
            JSONMember(key: "product_id", value: .string(product)),
            JSONMember(key: "auto_renew_product_id", value: .string(product)),
            JSONMember(key: "auto_renew_status", value: .string(willRenew ? "1" : "0")),
            JSONMember(
                key: "is_in_billing_retry_period", value: .string(isRetrying ? "1" : "0")),
        ])
    }

    /// A body as Apple posts it. Its receipt is unreadable; `autoRenewStatusChangeDate` dates it.
    package func notificationV1(
        _ type: String, through period: Int, willRenew: Bool = true, isRetrying: Bool = false,
        cancelled: Timestamp? = nil, at date: Timestamp, password: String = MadeChain.secret
    ) -> [UInt8] {
        let infos = (0...period).map {
            receiptInfo($0, cancelled: $0 == period ? cancelled : nil)
        }
        let unified = JSONValue.object([
            JSONMember(key: "status", value: .number("0")),
            JSONMember(key: "environment", value: .string("Production")),
            JSONMember(key: "latest_receipt_info", value: .array(infos.reversed())),
            JSONMember(
                key: "pending_renewal_info",
                value: .array([pending(willRenew: willRenew, isRetrying: isRetrying)])),
        ])
        let body = JSONValue.object([
            JSONMember(key: "notification_type", value: .string(type)),
            JSONMember(key: "password", value: .string(password)),
            JSONMember(key: "environment", value: .string("PROD")),
            JSONMember(key: "bid", value: .string(bundleId)),
            JSONMember(
                key: "auto_renew_status_change_date_ms", value: .string("\(date.milliseconds)")),
            JSONMember(key: "original_transaction_id", value: .string(id)),
            JSONMember(key: "unified_receipt", value: unified),
        ])
        return body.encoded()
    }

    /// A verifyReceipt response as of `date`.
    package func verifyReceipt(
        through period: Int, willRenew: Bool = true, at date: Timestamp, status: Int = 0,
        environment: String? = "Production"
    ) -> [UInt8] {
        let receipt = JSONValue.object([
            JSONMember(key: "bundle_id", value: .string(bundleId)),
            JSONMember(key: "receipt_type", value: .string("Production")),
            JSONMember(key: "request_date_ms", value: .string("\(date.milliseconds)")),
            JSONMember(key: "in_app", value: .array([receiptInfo(0)])),
        ])
        var members = [
            JSONMember(key: "status", value: .number("\(status)")),
            JSONMember(key: "receipt", value: receipt),
            JSONMember(
                key: "latest_receipt_info", value: .array((0...period).map { receiptInfo($0) })),
            JSONMember(
                key: "pending_renewal_info", value: .array([pending(willRenew: willRenew)])),
        ]
        if let environment {
            members.append(JSONMember(key: "environment", value: .string(environment)))
        }
        return JSONValue.object(members).encoded()
    }
}

extension TemporaryLedger {
    /// Gives the app its shared secret; several lines are several secrets.
    package mutating func share(_ secret: String = MadeChain.secret) throws {
        let file = try directory.write(Array("\(secret)\n".utf8), to: "shared-secret")
        configuration.apps[0].sharedSecretFile = file
    }

    /// Retries the quarantine with the current configuration.
    package func retryQuarantine() async throws -> IngestSummary {
        let (apps, verifier) = (configuration.apps, verifier)
        return try await ledger { opened in
            try await Quarantine(ledger: opened).retry(apps: apps, verifier: verifier)
        }
    }
}
