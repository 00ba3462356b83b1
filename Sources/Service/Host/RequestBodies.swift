public import AppStore
internal import Intake
public import Ledger
internal import Queries
import Signing

// The bodies of requests (`Contract.md`). Each `init` throws `malformed` for an invalid one.

/// Of `POST /v1/customers:entitlements`: `{"customers":["…"]}`.
public struct CustomersBody: Sendable {
    /// In the order given; duplicates are answered twice.
    public let customers: [CustomerId]

    /// Largest body: ids at their bound, most of them escaped.
    public static let maximumByteCount = 1024 * 1024
    /// Maximum number of customers (`Service.md`).
    public static let customerCount = 1_000

    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        // The moment is a parameter of the query and must not be ignored here.
        try body.requireOnly(["customers"])
        guard let names = body["customers"]?.array else {
            throw IntakeRefusal.invalidBody("customers is required, a list of ids.")
        }
        guard names.count <= CustomersBody.customerCount else {
            throw IntakeRefusal(
                .malformed, code: "tooManyCustomers",
                message: "At most \(CustomersBody.customerCount) customers are answered for at"
                    + " once.")
        }
        var customers: [CustomerId] = []
        for name in names {
            guard let text = name.string else {
                throw IntakeRefusal.invalidBody("customers contains a value that is not a string.")
            }
            customers.append(try JSONBody.customer(text))
        }
        self.customers = customers
    }
}

/// Of `POST /v1/customers/{id}/grants`: `{"entitlement":"…","until":…}`. The command checks the
/// length of texts.
public struct GrantBody: Sendable {
    public let entitlement: String
    /// When the grant ends.
    public let until: Timestamp

    public static let maximumByteCount = 16 * 1024

    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        // A member that other bodies have, such as dryRun, must not be ignored.
        try body.requireOnly(["entitlement", "until"])
        entitlement = try body.required("entitlement")
        until = try body.requiredTime("until")
    }
}

/// Of `POST /v1/erasures`:
/// `{"chains":["…"],"customer":"…","actor":"…","reason":"…","dryRun":true}`.
public struct ErasureBody: Sendable {
    /// An originalTransactionId, or any transactionId, of each chain.
    public let chains: [String]
    public let customer: CustomerId?
    /// The author; the check of the order bounds this text and the next.
    public let actor: String
    public let reason: String
    /// Whether only to report what would be erased.
    public let isDryRun: Bool

    /// Largest body: every id and text at its bound, most of them escaped.
    public static let maximumByteCount = 256 * 1024
    /// Chains of one order.
    public static let chainCount = 100
    /// Longest id of a chain, in bytes.
    public static let idByteCount = 256

    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        // A misspelt dryRun must not erase.
        try body.requireOnly(["chains", "customer", "actor", "reason", "dryRun"])
        actor = try body.required("actor")
        reason = try body.required("reason")
        isDryRun = try body.flag("dryRun")
        chains = try ErasureBody.chains(body["chains"])
        customer = try body.customer()
        guard !chains.isEmpty || customer != nil else {
            throw IntakeRefusal.invalidBody("Name chains, a customer, or both.")
        }
    }

    private static func chains(_ value: JSONValue?) throws(IntakeRefusal) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let entries = value.array, entries.count <= chainCount else {
            throw IntakeRefusal.invalidBody("chains takes a list of at most \(chainCount) ids.")
        }
        var chains: [String] = []
        for entry in entries {
            guard let id = entry.string, (1...idByteCount).contains(id.utf8.count) else {
                throw IntakeRefusal.invalidBody(
                    "chains contains a value that is not an id of 1 to \(idByteCount) bytes.")
            }
            chains.append(id)
        }
        return chains
    }
}

/// Of `POST /v1/recoveries`: `{"from":…,"to"?:…,"bundleId"?:"…"}`.
public struct RecoveryBody: Sendable {
    public let from: Timestamp
    /// Nil: now.
    public let to: Timestamp?
    /// Nil: the only app with a key.
    public let bundleId: BundleId?

    public static let maximumByteCount = 16 * 1024

    public init(from: Timestamp, to: Timestamp? = nil, bundleId: BundleId? = nil) {
        self.from = from
        self.to = to
        self.bundleId = bundleId
    }

    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        // A misspelt to must not recover up to now.
        try body.requireOnly(["from", "to", "bundleId"])
        from = try body.requiredTime("from")
        to = try body.time("to")
        bundleId = try body.text("bundleId").map { BundleId($0) }
    }
}

/// Of `POST /v1/transactions` from an app or its back end.
public struct UploadBody: Sendable {
    /// The compact JWS of the transaction.
    let transaction: [UInt8]
    /// The compact JWS of its renewal info.
    let renewal: [UInt8]?
    /// The customer that the sender names as the purchase's owner.
    public let customer: CustomerId?

    /// Largest body: two JWS and a name.
    public static let maximumByteCount = 640 * 1024

    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        transaction = Array(try body.required("signedTransactionInfo").utf8)
        renewal = try body.text("signedRenewalInfo").map { Array($0.utf8) }
        customer = try body.owner()
    }

    /// The evidence in it.
    var submission: Submission {
        let form: Submission.Form =
            if let renewal {
                .pair(transaction: transaction, renewal: renewal, status: nil)
            } else {
                .transaction(transaction)
            }
        return Submission(form: form, input: "upload")
    }
}

/// Of `POST /v1/receipts` from an app or its back end.
public struct ReceiptBody: Sendable {
    /// The app receipt, decoded from base64.
    let receipt: [UInt8]
    /// The customer that the sender names as the purchases' owner.
    public let customer: CustomerId?

    /// Largest body: a receipt (`Log.md` §6) and a name.
    public static let maximumByteCount = 4 * 1024 * 1024

    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        receipt = Array(try body.required("receipt", "the app receipt in base64").utf8)
        customer = try body.owner()
    }

    var submission: Submission {
        Submission(form: .receipt(receipt), input: "upload")
    }

    /// Chains that are answered and claimed, those bought last first. A genuine receipt with more
    /// contains many one-time purchases.
    public static let answeredChainCount = 100
    /// The outcome of a claim that was not judged.
    static let unrequested = "unasked"

    /// The chains it names, those bought last first, then by id. Read only after the receipt was
    /// verified.
    var chains: [OriginalTransactionId] {
        let read = try? ReceiptVerifier.readUnverified(receipt)
        var newest: [OriginalTransactionId: Int64] = [:]
        for id in read?.originalTransactionIds ?? [] { newest[id] = .min }
        for purchase in read?.inAppPurchases ?? [] {
            let own = purchase.transactionId.map { OriginalTransactionId($0.rawValue) }
            guard let id = purchase.originalTransactionId ?? own, let known = newest[id] else {
                continue
            }
            newest[id] = max(known, purchase.purchaseDate?.milliseconds ?? .min)
        }
        return newest.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// The budget account of a receipt that names no chain: the time at which the buyer got the
    /// app. In Sandbox, where that time is the same for all, it is the receipt's creation date.
    /// Read only after the receipt was verified.
    var buyer: OriginalTransactionId {
        let read = try? ReceiptVerifier.readUnverified(receipt)
        let date =
            read?.environment == .sandbox ? read?.creationDate : read?.originalPurchaseDate
        return OriginalTransactionId("app \(date?.milliseconds ?? 0)")
    }
}
