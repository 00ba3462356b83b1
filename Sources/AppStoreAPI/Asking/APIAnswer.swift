public import AppStore

/// What Apple said: read, and as it came. Nothing in it is believed: what is signed goes to the
/// verifier with the rest of the intake, and what is not signed is not evidence.
public struct APIAnswer<Value: Sendable>: Sendable {
    /// The answer, read.
    public let value: Value
    /// The answer's body, byte by byte.
    public let body: [UInt8]
    /// Which of Apple's environments answered.
    public let environment: Environment
    /// When Apple answered, by its own clock, to the second; nil where it did not say.
    public var date: Timestamp?
}

extension APIAnswer: Equatable where Value: Equatable {}

/// The answer of endpoints that only say that they have taken the request.
public struct Accepted: Sendable, Equatable {
    /// 200 or 202.
    public let status: Int
}
