/// Why bytes are not a receipt's payload. Contains attribute numbers, never contents.
public struct AppReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; clients compare the raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// Not a SET of attributes, each a type, a version and an octet string.
        case malformed
        /// A known attribute's value does not have the form of its type.
        case wrongForm
        /// A known attribute that may occur only once is duplicated, so two readers could interpret
        /// one signed payload differently.
        case duplicateAttribute
        /// More than `AppReceiptLimits.attributeCount`.
        case tooManyAttributes
        /// More than `AppReceiptLimits.inAppPurchaseCount`.
        case tooManyPurchases
    }

    /// The stable code.
    public let code: Code
    /// The attribute concerned.
    public let attribute: Int64?

    init(_ code: Code, attribute: Int64? = nil) {
        self.code = code
        self.attribute = attribute
    }

    /// One sentence without a period.
    public var description: String {
        let which = attribute.map { "attribute \($0)" } ?? "an attribute"
        return switch code {
        case .malformed: "the payload is not a set of attributes"
        case .wrongForm: "\(which) does not have the form of its type"
        case .duplicateAttribute: "\(which) is duplicated"
        case .tooManyAttributes:
            "the receipt has more than \(AppReceiptLimits.attributeCount) attributes"
        case .tooManyPurchases:
            "the receipt has more than \(AppReceiptLimits.inAppPurchaseCount) purchases"
        }
    }
}
