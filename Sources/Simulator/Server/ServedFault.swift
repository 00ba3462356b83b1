public import AppStore

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

/// Selects the requests that get a fault; without an endpoint, requests of every kind are counted
/// together.
public typealias ServedFaultRule = FaultRule<ServedFault>

extension ServedFault: ScriptedFault {
    public typealias Subject = ServedEndpoint

    public static let subjectKey = "endpoint"
    public static let subjectName = "endpoint"
    public static let keys: Set<String> = ["milliseconds", "status", "code", "bytes", "result"]
    public static let forms = """
        rateLimited, slow or clock (with milliseconds), error (with code), status (with status), \
        dropped, half, badSignature, anotherApp, loop, barren, garbage, delivery (with result) or \
        oversized (with bytes)
        """

    public static func read(_ entry: JSONValue) -> ServedFault? {
        let milliseconds = entry["milliseconds"]?.int64
        switch entry["fault"]?.string {
        case "rateLimited": return milliseconds.map { .rateLimited(milliseconds: $0) }
        case "slow": return milliseconds.map { .slow(milliseconds: $0) }
        case "clock": return milliseconds.map { .clock(milliseconds: $0) }
        case "error":
            return entry["code"]?.int64.flatMap {
                (4_000_000...5_999_999).contains($0) ? .error($0) : nil
            }
        case "status":
            return entry["status"]?.int64.flatMap {
                (400...599).contains($0) ? .status(Int($0)) : nil
            }
        case "oversized":
            return entry["bytes"]?.int64.flatMap {
                (1...100_000_000).contains($0) ? .oversized(byteCount: Int($0)) : nil
            }
        case "delivery": return entry["result"]?.string.map { .delivery($0) }
        case "dropped": return .dropped
        case "half": return .half
        case "badSignature": return .badSignature
        case "anotherApp": return .anotherApp
        case "loop": return .loop
        case "barren": return .barren
        case "garbage": return .garbage
        default: return nil
        }
    }
}
