import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Form of a JWS")
struct JWSFormTests {
    private struct HeaderCase: Sendable, CustomTestStringConvertible {
        let header: String
        let code: VerificationCode?

        init(_ header: String, _ code: VerificationCode?) {
            self.header = header
            self.code = code
        }

        var testDescription: String { header }
    }

    private let authority: Authority
    private let verifier: EvidenceVerifier
    private let certificates: String

    init() throws {
        authority = Trial.authority
        verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let texts = [authority.leafDER, authority.intermediateDER, authority.rootDER].map {
            "\"" + Trial.text(Base64.standard.encode($0)) + "\""
        }
        certificates = "[" + texts.joined(separator: ",") + "]"
    }

    private static let headerCases: [HeaderCase] = [
        HeaderCase(#"{"alg":"ES256","x5c":CHAIN}"#, nil),
        HeaderCase(#"{"x5c":CHAIN,"typ":"JWT","kid":"k","alg":"ES256","new":{"a":[1]}}"#, nil),
        HeaderCase(#" { "alg" : "ES256" , "x5c" : CHAIN } "#, nil),
        HeaderCase(#"{"alg":"none","x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":"HS256","x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":"ES384","x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":"es256","x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":"ES256K","x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":7,"x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":null,"x5c":CHAIN}"#, .unsupportedAlgorithm),
        HeaderCase(#"{"alg":"ES256","alg":"ES256","x5c":CHAIN}"#, .malformedJWS),
        HeaderCase(#"{"alg":"ES256","\u0061lg":"none","x5c":CHAIN}"#, .malformedJWS),
        HeaderCase(#"{"alg":"ES256","x5c":CHAIN,"x5c":CHAIN}"#, .malformedJWS),
        HeaderCase(#"{"alg":"ES256","crit":["exp"],"x5c":CHAIN}"#, .malformedJWS),
        HeaderCase(#"{"alg":"ES256","crit":[],"x5c":CHAIN}"#, .malformedJWS),
        HeaderCase(#"{"alg":"ES256","x5c":CHAIN}{}"#, .malformedJWS),
        HeaderCase(#"{"alg":"ES256","x5c":CHAIN"#, .malformedJWS),
        HeaderCase(#"[{"alg":"ES256","x5c":CHAIN}]"#, .malformedJWS),
        HeaderCase("null", .malformedJWS),
        HeaderCase("\u{0}", .malformedJWS),
        HeaderCase(#"{"alg":"ES256"}"#, .invalidChainLength),
        HeaderCase(#"{"alg":"ES256","x5c":null}"#, .invalidChainLength),
        HeaderCase(#"{"alg":"ES256","x5c":{}}"#, .invalidChainLength),
        HeaderCase(#"{"alg":"ES256","x5c":[1,2,3]}"#, .invalidChainLength),
        HeaderCase(#"{"alg":"ES256","x5c":["","",""]}"#, .untrustedRoot),
    ]

    private func code(header: String) throws -> VerificationCode? {
        let full = header.replacing("CHAIN", with: certificates)
        let jws = try authority.sign(Trial.transaction(), header: Trial.json(full))
        return Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
    }

    @Test(
        "A header is an object with ES256 and three certificates, once each",
        arguments: headerCases)
    private func headers(wanted: HeaderCase) throws {
        #expect(try code(header: wanted.header) == wanted.code)
    }

    @Test("The algorithm is checked before the signature's form")
    func emptySignature() throws {
        let none = Trial.json(#"{"alg":"none"}"#)
        let jws = CompactJWS.assemble(
            headerSegment: Base64.url.encode(none), payload: Trial.transaction(), signature: [])
        #expect(
            Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                == .unsupportedAlgorithm)
    }

    @Test(
        "A JWS has exactly three segments, none but the last empty",
        arguments: [
            "", ".", "..", "...", "a.b", "e30.e30", "e30..AAAA", ".e30.AAAA", "e30.e30.AAAA.AAAA",
            "e30.e30.AA+A", "e30.e30.AA==", "e30.e3.AAAA", "e3.e30.AAAA", "e30.e31.AAAA",
            "é.é.é", "e30.e30\n.AAAA",
        ])
    func segments(text: String) {
        #expect(
            Trial.code { _ = try verifier.verifyAny(Trial.json(text), receivedAt: Trial.now) }
                == .malformedJWS)
        #expect(Trial.code { _ = try CompactJWS(parsing: Trial.json(text)) } == .malformedJWS)
    }

    /// A genuine JWS of exactly `count` bytes. Base64 text never has a length of 4n + 1, so the
    /// header is extended by white space where needed.
    private func padded(to count: Int) throws -> [UInt8] {
        for spaces in 0..<4 {
            let header =
                "{\"alg\":\"ES256\",\"x5c\":\(certificates)}"
                + String(repeating: " ", count: spaces)
            let segment = Base64.url.encode(Trial.json(header))
            let payloadText = count - segment.count - 2 - 86
            guard payloadText % 4 != 1 else { continue }
            let payloadCount = payloadText / 4 * 3 + max(0, payloadText % 4 - 1)
            let start = Trial.transaction(more: ",\"x\":\"\"")
            let filler = String(repeating: "x", count: payloadCount - start.count)
            return try authority.sign(
                Trial.transaction(more: ",\"x\":\"\(filler)\""), header: Trial.json(header))
        }
        return []
    }

    @Test("A JWS has at most 256 KiB")
    func size() throws {
        let limit = CompactJWS.maximumByteCount
        let bound = try padded(to: limit)
        #expect(bound.count == limit)
        #expect(Trial.code { _ = try verifier.verifyAny(bound, receivedAt: Trial.now) } == nil)
        let past = try padded(to: limit + 1)
        #expect(past.count == limit + 1)
        #expect(
            Trial.code { _ = try verifier.verifyAny(past, receivedAt: Trial.now) }
                == .payloadTooLarge)
        #expect(
            Trial.code {
                _ = try verifier.verifyAny(
                    [UInt8](repeating: 0x41, count: limit + 1), receivedAt: Trial.now)
            } == .payloadTooLarge)
        #expect(
            Trial.code {
                _ = try verifier.verifyAny(
                    [UInt8](repeating: 0x41, count: limit), receivedAt: Trial.now)
            } == .malformedJWS)
    }

    @Test("A verified JWS is parsed into parts that give the same bytes")
    func roundTrip() throws {
        let jws = try authority.sign(Trial.transaction())
        let parts = try CompactJWS(parsing: jws)
        #expect(parts.bytes == jws)
        #expect(parts.payload == Trial.transaction())
        #expect(parts.signature.count == CompactJWS.signatureByteCount)
    }

    @Test(
        "A payload that is no base64url is malformed, whatever the signature, known header or not")
    func formBeforeSignature() throws {
        let genuine = try authority.sign(Trial.transaction())
        let other = try authority.sign(Trial.transaction(id: "2000000000000002"))
        var spoiled = genuine
        let dot = try #require(genuine.firstIndex(of: UInt8(ascii: ".")))
        spoiled[dot + 1] = UInt8(ascii: "!")
        let wronglySigned = Array(spoiled.dropLast(86)) + Array(other.suffix(86))
        func tryBoth() {
            for jws in [spoiled, wronglySigned] {
                let code = Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                #expect(code == .malformedJWS)
            }
        }
        tryBoth()
        _ = try verifier.verifyAny(genuine, receivedAt: Trial.now)
        tryBoth()
    }
}
