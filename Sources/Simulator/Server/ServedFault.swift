/// A fault of one request.
public enum ServedFault: Sendable, Equatable {
    /// 429 with a Retry-After this far in the future.
    case rateLimited(milliseconds: Int64)
    /// An error of Apple's, by its number, with the matching status.
    case error(Int64)
    /// A status without a body.
    case status(Int)
    /// The connection closes without a response.
    case dropped
    /// Half of the response, then the connection closes.
    case half
    /// The response is delayed.
    case slow(milliseconds: Int64)
    /// A 200 in which every signature is corrupt.
    case badSignature
    /// A 200 whose signed data and bundleId belong to another app.
    case anotherApp
    /// A page whose cursor leads back to itself.
    case loop
    /// Empty pages without end, each with a new token.
    case barren
    /// Tokens are checked, and `Date` is set, by a clock this far ahead (negative: behind).
    case clock(milliseconds: Int64)
    /// A 200 whose body is not JSON.
    case garbage
    /// A TEST notification whose delivery ended with this `sendAttemptResult`.
    case delivery(String)
    /// A 200 whose body is longer than any of Apple's.
    case oversized(byteCount: Int)
}

/// Selects the requests that get a fault, without randomness.
public struct ServedFaultRule: Sendable, Equatable {
    /// Nil selects requests of every kind, counted together.
    public var endpoint: ServedEndpoint?
    /// The first affected request, from 1.
    public var from: Int
    /// Number of affected requests; nil for all from there on.
    public var count: Int?
    /// Affects every nth request from there on.
    public var every: Int
    public var fault: ServedFault

    /// Creates a rule.
    public init(
        _ fault: ServedFault, endpoint: ServedEndpoint? = nil, from: Int = 1, count: Int? = nil,
        every: Int = 1
    ) {
        self.fault = fault
        self.endpoint = endpoint
        self.from = from
        self.count = count
        self.every = max(1, every)
    }

    /// Whether the `number`-th request (of its kind, or of all) is affected.
    func hits(_ number: Int) -> Bool {
        ServedFaultRule.hits(number, from: from, every: every, count: count)
    }

    /// Whether a number is one of the `count` (nil: of all) that start at `from`, `every` apart.
    static func hits(_ number: Int, from: Int, every: Int, count: Int?) -> Bool {
        guard number >= from, (number - from) % every == 0 else { return false }
        return count.map { (number - from) / every < $0 } ?? true
    }
}
