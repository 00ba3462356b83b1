/// Why bytes are no receipt's payload. Names numbers of attributes, never contents.
public struct AppReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; the raw value is what machines read.
    public enum Code: String, Sendable, CaseIterable {
        /// Not a SET of attributes, each a type, a version and an octet string.
        case malformed
        /// A known attribute holds a value of another form than its own.
        case wrongForm
        /// A known attribute that may stand only once stands twice: two readers could believe two
        /// things of one signed payload.
        case duplicateAttribute
        /// More than `AppReceiptLimits.attributeCount`.
        case tooManyAttributes
        /// More than `AppReceiptLimits.inAppPurchaseCount`.
        case tooManyPurchases
    }

    /// What machines compare.
    public let code: Code
    /// The attribute concerned.
    public let attribute: Int64?

    init(_ code: Code, attribute: Int64? = nil) {
        self.code = code
        self.attribute = attribute
    }

    /// One sentence without an end mark.
    public var description: String {
        let which = attribute.map { "attribute \($0)" } ?? "an attribute"
        return switch code {
        case .malformed: "it is not a set of attributes"
        case .wrongForm: "\(which) has another form than its type says"
        case .duplicateAttribute: "\(which) stands there twice"
        case .tooManyAttributes: "it has more than \(AppReceiptLimits.attributeCount) attributes"
        case .tooManyPurchases:
            "it has more than \(AppReceiptLimits.inAppPurchaseCount) purchases"
        }
    }
}
