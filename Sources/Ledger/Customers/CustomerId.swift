public import AppStore

/// Tag type of `CustomerId`.
public enum CustomerTag: Sendable {}

/// The app's identifier of a customer (`Lifecycle.md` §6): by default a chain's `appAccountToken`,
/// otherwise the name an operator or back end uses.
public typealias CustomerId = Identifier<CustomerTag>

extension Identifier where Tag == CustomerTag {
    /// From an `appAccountToken`: a UUID, lowercased.
    public init(token: String) { self.init(token.inLowerCase) }

    /// From text of a person or back end: a UUID, which may be a token, is lowercased; anything
    /// else is kept.
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
    /// The key of facts about a customer rather than a subscription: stored among the chains under
    /// the customer's id and an empty bundle id, which no app has.
    public init(customer: CustomerId) {
        self.init(
            bundleId: BundleId(""), originalTransactionId: OriginalTransactionId(customer.rawValue))
    }

    /// The customer whose own facts these are; nil for a chain.
    public var customer: CustomerId? {
        bundleId.rawValue.isEmpty ? CustomerId(originalTransactionId.rawValue) : nil
    }
}

extension String {
    /// Like `lowercased()`, without a copy if already lowercase, as nearly every token is.
    var inLowerCase: String {
        utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            ? self : lowercased()
    }
}
