public import AppStore

/// One attempt to deliver a notification (App Store Server API, `sendAttemptItem`).
public struct SendAttemptItem: APIObject {
    /// Time of the attempt.
    public var attemptDate: Timestamp?
    public var sendAttemptResult: Raw<SendAttemptResult>?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("attemptDate", &attemptDate)
        visitor.visit("sendAttemptResult", &sendAttemptResult)
    }
}
