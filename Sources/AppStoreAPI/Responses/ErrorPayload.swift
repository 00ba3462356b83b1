public import AppStore

/// A rejection (App Store Server API, Error Codes). A 401 has none.
public struct ErrorPayload: APIObject {
    /// Apple's error number.
    public var errorCode: Raw<APIErrorCode>?
    /// Apple's text for people. Never logged; `APIFailure` has its own.
    public var errorMessage: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("errorCode", &errorCode)
        visitor.visit("errorMessage", &errorMessage)
    }
}
