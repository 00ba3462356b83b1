public import AppStore

/// Tags `CustomerId`.
public enum CustomerTag: Sendable {}

/// Whoever the app says (`lifecycle.md` §6): by default a chain's `appAccountToken`, otherwise what
/// an operator or a back end calls its customer.
public typealias CustomerId = Identifier<CustomerTag>

extension Identifier where Tag == CustomerTag {
    /// From an `appAccountToken`: a UUID in lower case, however it was spelled.
    public init(token: String) { self.init(token.inLowerCase) }

    /// From what a person or a back end wrote: a UUID in lower case, since it may be a token, and
    /// anything else as it is.
    public init(stated text: String) {
        self.init(CustomerId.isUUID(text) ? text.lowercased() : text)
    }

    /// 8-4-4-4-12 hexadecimal digits (RFC 9562 §4).
    private static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { index, byte in
            switch (index, byte) {
            case (8, _), (13, _), (18, _), (23, _): byte == UInt8(ascii: "-")
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")): true
            case (_, UInt8(ascii: "a")...UInt8(ascii: "f")): true
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")): true
            default: false
            }
        }
    }
}

extension ChainId {
    /// Where the facts about a customer rather than about a subscription are kept: beside the
    /// chains, under the customer's id and no app. No app has an empty bundle id.
    public init(customer: CustomerId) {
        self.init(
            bundleId: BundleId(""), originalTransactionId: OriginalTransactionId(customer.rawValue))
    }

    /// The customer whose own facts these are; nil for a subscription or purchase.
    public var customer: CustomerId? {
        bundleId.rawValue.isEmpty ? CustomerId(originalTransactionId.rawValue) : nil
    }
}

extension String {
    /// As `lowercased()`; a text that is so already, as nearly every token, is not made again.
    var inLowerCase: String {
        utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            ? self : lowercased()
    }
}
