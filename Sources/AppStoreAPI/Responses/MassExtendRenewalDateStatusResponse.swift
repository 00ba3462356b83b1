public import AppStore

/// Progress of a mass extension (App Store Server API, Get Status of Subscription Renewal Date
/// Extensions).
public struct MassExtendRenewalDateStatusResponse: APIObject {
    /// That of the request.
    public var requestIdentifier: String?
    /// Whether every subscriber was processed.
    public var complete: Bool?
    /// Time of completion; absent until then.
    public var completeDate: Timestamp?
    /// Subscriptions extended; absent until complete.
    public var succeededCount: Int64?
    /// Subscriptions not extended; absent until complete.
    public var failedCount: Int64?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("requestIdentifier", &requestIdentifier)
        visitor.visit("complete", &complete)
        visitor.visit("completeDate", &completeDate)
        visitor.visit("succeededCount", &succeededCount)
        visitor.visit("failedCount", &failedCount)
    }
}
