/// The trace that work belongs to (W3C Trace Context): its ids are in log lines and problems, and
/// outgoing requests pass it on.
///
/// No spans are recorded here, and `tracestate` is neither read nor sent.
public struct TraceContext: Sendable, Equatable {
    /// Name of the header field that carries a trace.
    public static let headerName = "traceparent"
    /// Length of a field of version 00. Later versions may continue after another dash.
    static let byteCount = 55

    /// 32 lower-case hexadecimal digits, not all zero.
    public let traceId: String
    /// This service's part of the trace: 16 lower-case hexadecimal digits, not all zero.
    public let spanId: String
    /// Whether the caller may have recorded the trace. Set for a trace that begins here, since an
    /// unset flag would keep receivers from recording it.
    let isSampled: Bool

    /// The trace of the current task.
    @TaskLocal public static var current: TraceContext?

    /// A new trace, with random ids.
    public init() {
        traceId = TraceContext.digits() + TraceContext.digits()
        spanId = TraceContext.digits()
        isSampled = true
    }

    /// The trace of a received `traceparent`, with a new span; nil for an invalid field.
    public init?(continuing field: String) {
        let bytes = Array(field.utf8.prefix(TraceContext.byteCount + 1))
        let dash = UInt8(ascii: "-")
        guard bytes.count >= TraceContext.byteCount, bytes[2] == dash, bytes[35] == dash,
            bytes[52] == dash, bytes.count == TraceContext.byteCount || bytes[55] == dash
        else { return nil }
        let parts = [bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55]]
        guard parts.joined().allSatisfy(TraceContext.isDigit),
            parts[1...2].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        guard texts[0] != "ff", texts[0] != "00" || bytes.count == TraceContext.byteCount,
            let flags = UInt8(texts[3], radix: 16)
        else { return nil }
        traceId = texts[1]
        spanId = TraceContext.digits()
        isSampled = flags & 1 == 1
    }

    /// The `traceparent` of outgoing requests, version 00; this service is the parent.
    public var header: String { "00-\(traceId)-\(spanId)-\(isSampled ? "01" : "00")" }

    /// 16 random hexadecimal digits, not all zero.
    private static func digits() -> String {
        let text = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
