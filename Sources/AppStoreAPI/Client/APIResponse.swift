public import AppStore

/// Apple's response, decoded and as received. Not verified: signed parts go to the verifier with
/// the rest of the intake, and unsigned parts are not evidence.
public struct APIResponse<Value: Sendable>: Sendable {
    public let endpoint: Endpoint
    /// The decoded response.
    public let value: Value
    /// The response body, byte for byte.
    public let body: [UInt8]
    /// The environment that responded.
    public let environment: Environment
    /// Time of the response by Apple's clock, to the second; nil if not stated.
    public var date: Timestamp?
}

/// The response of endpoints that only accept the request.
public struct Accepted: Sendable {}
