internal import AppStore
internal import Ledger
import Signing

/// Finds ids in evidence and other stored inputs: in JSON texts, in the signed parts inside them,
/// and in receipts.
struct PersonalIds: Sendable {
    /// Every text that is the value of a member or element.
    private(set) var texts: Set<String> = []
    /// Those under names that hold ids of a person's purchases and devices.
    private(set) var ids: Set<String> = []

    /// How deep signed parts are nested: a notification in an API response in a wrapper.
    private static let depth = 5

    private static let names: Set<String> = [
        "transactionId", "originalTransactionId", "previousOriginalTransactionId",
        "webOrderLineItemId", "appAccountToken", "appTransactionId", "notificationUUID",
        "deviceVerificationNonce", "transaction_id", "original_transaction_id",
        "web_order_line_item_id", "app_account_token", "original_transaction_id_ios",
    ]

    init(_ input: [UInt8]) { read(input, PersonalIds.depth) }

    private mutating func read(_ input: [UInt8], _ depth: Int) {
        guard depth > 0 else { return }
        if let json = try? JSONValue.parse(input) {
            read(json, under: nil, depth)
        } else {
            readToken(input, depth)
        }
    }

    private mutating func read(_ json: JSONValue, under name: String?, _ depth: Int) {
        switch json {
        case .object(let members):
            for member in members { read(member.value, under: member.key, depth) }
        case .array(let elements):
            for element in elements { read(element, under: name, depth) }
        case .string(let text):
            note(text, under: name)
            // Shorter texts are no signed parts.
            if text.utf8.count > 100 { readToken(Array(text.utf8), depth) }
        case .number(let token): note(token, under: name)
        case .bool, .null: return
        }
    }

    private mutating func note(_ text: String, under name: String?) {
        texts.insert(text)
        // Tokens are compared in lower case.
        texts.insert(text.lowercased())
        guard let name, PersonalIds.names.contains(name), !text.isEmpty else { return }
        ids.insert(text)
        ids.insert(text.lowercased())
    }

    /// A compact JWS, or a receipt in Base64 or as it is.
    private mutating func readToken(_ input: [UInt8], _ depth: Int) {
        let parts = input.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.count == 3, let payload = Base64URL.decode(Array(parts[1])) {
            return read(payload, depth - 1)
        }
        guard let receipt = try? ReceiptVerifier.readUnverified(input) else { return }
        for purchase in receipt.inAppPurchases {
            for id in [
                purchase.transactionId?.rawValue, purchase.originalTransactionId?.rawValue,
                purchase.webOrderLineItemId?.rawValue,
            ].compactMap(\.self) {
                note(id, under: "transactionId")
            }
        }
    }
}
