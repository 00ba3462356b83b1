import Testing

@testable import Service

/// The JWS is extracted from a body in any layout.
@Suite("The body of a notification")
struct NotificationBodyTests {
    @Test(
        "The JWS is extracted from its surroundings",
        arguments: [
            #"{"signedPayload":"a.b.c"}"#,
            #"  { "other" : [1, {"signedPayload":"x"}] , "signedPayload" : "a.b.c" }  "#,
            #"{"signedPayload":"a.b.c","later":"\u00e9, and much more than the JWS has"}"#,
            #"{"signedPayload":"a\u002eb\u002Ec"}"#,
            #"{"signed\u0050ayload":"a.b.c"}"#,
        ])
    func taken(text: String) throws {
        #expect(try NotificationBody(Array(text.utf8)) == .signed(Array("a.b.c".utf8)))
    }

    @Test("An empty JWS is passed on for the verifier to refuse")
    func empty() throws {
        #expect(try NotificationBody(Array(#"{"signedPayload":""}"#.utf8)) == .signed([]))
    }

    @Test("A uniquely referenced body is not copied")
    func inPlace() throws {
        let text = #"{"signedPayload":"\#(String(repeating: "a", count: 9_000))"}"#
        let body = Array(text.utf8)
        let address = body.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        let taken = try NotificationBody(consume body)
        guard case .signed(let token) = taken else {
            Issue.record("This is not version 2.")
            return
        }
        #expect(token.count == 9_000)
        #expect(token.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } == address)
    }

    @Test(
        "A non-string value or invalid JSON is refused",
        arguments: [
            (#"{"signedPayload":null}"#, "invalidBody"), (#"{"signedPayload":7}"#, "invalidBody"),
            (#"{"signedPayload":["a.b.c"]}"#, "invalidBody"), ("[]", "invalidBody"),
            (#"{"signedPayload":"a.b.c"} x"#, "malformedJSON"),
            (#"{"signedPayload":"a.b.c","signedPayload":"a.b.c"}"#, "malformedJSON"),
            (#"{"signedPayload":"a.b.c""#, "malformedJSON"),
        ])
    func refused(text: String, code: String) {
        let error = #expect(throws: IntakeRefusal.self) { try NotificationBody(Array(text.utf8)) }
        #expect(error?.code == code)
    }
}
