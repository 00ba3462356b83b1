public import AppStore

/// Apple has accepted the extension (App Store Server API, Extend Subscription Renewal Dates for
/// All Active Subscribers). It takes hours to days.
public struct MassExtendRenewalDateResponse: APIObject {
    /// That of the request.
    public var requestIdentifier: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("requestIdentifier", &requestIdentifier)
    }
}
