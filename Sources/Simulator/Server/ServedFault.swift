/// What goes wrong with one request.
public enum ServedFault: Sendable, Equatable {
    /// 429 with a Retry-After so far in the future.
    case rateLimited(milliseconds: Int64)
    /// An error of Apple's, with its number and the status that belongs to it.
    case error(Int64)
    /// A status without a body.
    case status(Int)
    /// The connection ends without an answer.
    case dropped
    /// Half of the answer, then the connection ends.
    case half
    /// The answer is held back.
    case slow(milliseconds: Int64)
    /// A 200 in which every signature is spoilt.
    case badSignature
    /// A 200 whose signed data, and whose bundleId, are another app's.
    case anotherApp
    /// A page that leads to itself.
    case loop
    /// Pages that bring nothing, for ever, each with a new token.
    case barren
    /// The token is judged by a clock that is so far ahead (negative: behind), and `Date` says so.
    case clock(milliseconds: Int64)
    /// A 200 whose body is no JSON.
    case garbage
    /// A TEST notification whose delivery came to this `sendAttemptResult`.
    case delivery(String)
    /// A 200 whose body is longer than anything of Apple's.
    case oversized(byteCount: Int)
}

/// Which requests meet a fault: nothing is left to chance.
public struct ServedFaultRule: Sendable, Equatable {
    /// Nil: requests of every kind, counted together.
    public var endpoint: ServedEndpoint?
    /// The first request that meets it, from 1.
    public var from: Int
    /// How many meet it; nil: all from there on.
    public var count: Int?
    /// Every so-manieth from there on.
    public var every: Int
    public var fault: ServedFault

    /// A rule of these parts.
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

    /// Whether the `number`-th request (of its kind, or of all) meets it.
    func hits(_ number: Int) -> Bool {
        ServedFaultRule.hits(number, from: from, every: every, count: count)
    }

    /// Whether a number is one of the `count` (nil: of all) that begin at `from`, `every` apart.
    static func hits(_ number: Int, from: Int, every: Int, count: Int?) -> Bool {
        guard number >= from, (number - from) % every == 0 else { return false }
        return count.map { (number - from) / every < $0 } ?? true
    }
}
