internal import AppStore
import Signing

/// Finds ids in evidence and other stored inputs: in JSON texts, in the signed parts inside them,
/// and in receipts.
struct PersonalIds: Sendable {
    /// Values of members that hold ids of a person's purchases and devices.
    private(set) var ids: Set<String> = []
    /// Those of purchases alone: no other subscription of the person has them.
    private(set) var purchaseIds: Set<String> = []
    /// Parts that could not be read, which may hold ids.
    private var unread: [[UInt8]] = []

    /// Maximum nesting of signed parts: a notification in an API response in a wrapper.
    private static let depth = 5

    private static let lineItemNames: Set = ["webOrderLineItemId", "web_order_line_item_id"]

    private static let purchaseNames = lineItemNames.union([
        "transactionId", "originalTransactionId", "notificationUUID", "transaction_id",
        "original_transaction_id", "original_transaction_id_ios",
    ])

    private static let names = purchaseNames.union([
        "previousOriginalTransactionId", "appAccountToken", "appTransactionId",
        "deviceVerificationNonce", "app_account_token",
    ])

    init(_ input: [UInt8]) { read(input, PersonalIds.depth) }

    private mutating func read(_ input: [UInt8], _ depth: Int) {
        guard depth > 0 else { return unread.append(input) }
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
            // Shorter texts cannot be signed parts.
            if text.utf8.count > 100 { readToken(Array(text.utf8), depth) }
        case .number(let token): note(token, under: name)
        case .bool, .null: return
        }
    }

    private mutating func note(_ text: String, under name: String?) {
        guard let name, PersonalIds.names.contains(name), !text.isEmpty else { return }
        // Apple states the webOrderLineItemId "0" where it has none; Xcode has a transaction "0".
        guard text != "0" || !PersonalIds.lineItemNames.contains(name) else { return }
        // Tokens are compared in lower case.
        ids.formUnion([text, text.lowercased()])
        if PersonalIds.purchaseNames.contains(name) {
            purchaseIds.formUnion([text, text.lowercased()])
        }
    }

    /// A compact JWS, or a receipt in Base64 or as it is.
    private mutating func readToken(_ input: [UInt8], _ depth: Int) {
        if let payload = EventDetail.jwsPayload(input) { return read(payload, depth - 1) }
        guard let receipt = try? ReceiptVerifier.readUnverified(input) else {
            return unread.append(input)
        }
        for purchase in receipt.inAppPurchases {
            for id in [
                purchase.transactionId?.rawValue, purchase.originalTransactionId?.rawValue,
                purchase.webOrderLineItemId?.rawValue,
            ].compactMap(\.self) {
                note(id, under: "transactionId")
            }
        }
    }

    // MARK: Inputs that cannot be parsed

    /// Minimum length of an id that is searched for in text; shorter ones occur in unrelated
    /// inputs.
    private static let leastByteCount = 8

    /// Those of the ids that an input, which may be truncated or not JSON, contains: as the value
    /// of a member (of a purchase, where only these count) or, in what could not be read, as a
    /// separate word of the text or of a part of it in Base64, or as a field of a receipt.
    static func named(
        _ ids: Set<String>, in input: [UInt8], byPurchases: Bool = false
    ) -> Set<String> {
        let read = PersonalIds(input)
        var named = (byPurchases ? read.purchaseIds : read.ids).intersection(ids)
        let long = ids.filter { $0.utf8.count >= leastByteCount }
        for part in read.ids.isEmpty ? [input] : read.unread {
            addWords(of: long, in: part, depth, to: &named)
        }
        return named
    }

    private static func addWords(
        of ids: Set<String>, in input: [UInt8], _ depth: Int, to named: inout Set<String>
    ) {
        guard depth > 0 else { return }
        for word in input.split(whereSeparator: { !$0.isAlphanumeric(or: "-_.+/=") }) {
            let text = String(decoding: word, as: UTF8.self)
            named.formUnion(ids.intersection([text, text.lowercased()]))
            // In DER, an id is preceded by its length, and followed by a tag: 0x30, that is "0".
            if let length = input[..<word.startIndex].last, length < word.count {
                let field = String(decoding: word.prefix(Int(length)), as: UTF8.self)
                if ids.contains(field) { named.insert(field) }
            }
            guard word.count > 16 else { continue }
            for part in word.split(separator: UInt8(ascii: ".")) {
                // A truncated part has up to three characters too many.
                let whole = part.filter { $0 != UInt8(ascii: "=") }
                let text = whole.dropLast(whole.count % 4).map { byte in
                    switch byte {
                    case UInt8(ascii: "+"): UInt8(ascii: "-")
                    case UInt8(ascii: "/"): UInt8(ascii: "_")
                    default: byte
                    }
                }
                guard text.count > 16, let decoded = Base64.url.decode(text) else { continue }
                addWords(of: ids, in: decoded, depth - 1, to: &named)
            }
        }
    }
}
