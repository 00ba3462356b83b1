import AppStore
import Testing

@Suite("Traces")
struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"
    private static let field = "00-\(trace)-\(parent)-01"
    private static let noTrace = String(repeating: "0", count: 32)
    private static let noParent = String(repeating: "0", count: 16)

    static let invalidFields: [String] = [
        "", "00", String(field.dropLast()), "\(field)0", "\(field)-", "\(field)-00", " \(field)",
        field.uppercased(), "ff-\(trace)-\(parent)-01", "0-\(trace)-\(parent)-010",
        "0g-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-0g", "00_\(trace)_\(parent)_01",
        "00-\(noTrace)-\(parent)-01", "00-\(trace)-\(noParent)-01", "01-\(trace)-\(parent)-01x",
        "00-\(trace.dropLast())G-\(parent)-01", "00-\(trace.dropLast())é-\(parent)-01",
    ]

    @Test("An invalid traceparent is not continued", arguments: invalidFields)
    func invalid(field: String) {
        #expect(TraceContext(continuing: field) == nil)
    }

    /// Fields, and the flags that are passed on.
    static let fields: [(String, String)] = [
        (field, "01"), ("00-\(trace)-\(parent)-00", "00"), ("00-\(trace)-\(parent)-fe", "00"),
        ("00-\(trace)-\(parent)-ff", "01"), ("01-\(trace)-\(parent)-01", "01"),
        ("fe-\(trace)-\(parent)-01-what comes later", "01"),
    ]

    @Test(
        "A trace is continued with a span of its own, and the flag `sampled`", arguments: fields)
    func continued(field: String, flags: String) throws {
        let context = try #require(TraceContext(continuing: field))
        #expect(context.traceId == TraceContextTests.trace)
        #expect(context.spanId != TraceContextTests.parent)
        #expect(context.header == "00-\(context.traceId)-\(context.spanId)-\(flags)")
    }

    @Test("A trace that begins here is valid, sampled, and like no other")
    func new() throws {
        let (context, other) = (TraceContext(), TraceContext())
        let passedOn = try #require(TraceContext(continuing: context.header))
        #expect(passedOn.traceId == context.traceId)
        #expect(context.header.hasSuffix("-01"))
        #expect(context.traceId != other.traceId && context.spanId != other.spanId)
    }
}
