import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Data of local testing")
struct LocalDataTests {
    private let authority: Authority
    private let roots: TrustedRoots

    private static let shared = Result {
        var shape = AuthorityShape()
        shape.presentation = .leafOnly
        return try Authority(shape: shape)
    }

    init() throws {
        authority = try Self.shared.get()
        roots = try TrustedRoots.apple.adding(authority.rootDER)
    }

    private func code(
        _ jws: [UInt8], allowed: Set<Environment>
    ) -> VerificationCode? {
        let verifier = EvidenceVerifier(roots: roots, allowedLocalEnvironments: allowed)
        return Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
    }

    @Test(
        "A single certificate is never accepted for Production or Sandbox",
        arguments: ["Production", "Sandbox", "", "xcode", "Future"])
    func neverGenuine(environment: String) throws {
        let jws = try authority.sign(Trial.transaction(environment: environment))
        for allowed: Set<Environment> in [[], [.xcode, .localTesting], Set(Environment.allCases)] {
            #expect(code(jws, allowed: allowed) == .invalidChainLength)
        }
    }

    @Test("It is accepted for exactly the environments that are allowed")
    func allowed() throws {
        let xcode = try authority.sign(Trial.transaction(environment: "Xcode"))
        let local = try authority.sign(Trial.transaction(environment: "LocalTesting"))
        #expect(code(xcode, allowed: [.xcode]) == nil)
        #expect(code(local, allowed: [.localTesting]) == nil)
        #expect(code(xcode, allowed: [.localTesting]) == .invalidChainLength)
        #expect(code(local, allowed: [.xcode]) == .invalidChainLength)
        #expect(code(xcode, allowed: []) == .invalidChainLength)
    }

    @Test("Data without an environment is not local data")
    func absent() throws {
        let jws = try authority.sign(Trial.json(#"{"transactionId":"1"}"#))
        #expect(code(jws, allowed: [.xcode]) == .invalidChainLength)
    }

    @Test(
        "An empty id is rejected",
        arguments: [
            #"{"transactionId":"1","originalTransactionId":"","environment":"Xcode"}"#,
            #"{"transactionId":"","originalTransactionId":"1","environment":"Xcode"}"#,
        ])
    func emptyIds(payload: String) throws {
        let jws = try authority.sign(Trial.json(payload))
        #expect(code(jws, allowed: [.xcode]) == .undecodablePayload)
    }

    @Test("Its signature must be valid")
    func signature() throws {
        let signed = try CompactJWS(
            parsing: try authority.sign(Trial.transaction(environment: "Xcode")))
        let forged = CompactJWS.assemble(
            headerSegment: signed.headerSegment,
            payload: Trial.transaction(id: "2", environment: "Xcode"), signature: signed.signature)
        #expect(code(forged, allowed: [.xcode]) == .signatureMismatch)
    }

    @Test("A full chain with environment Xcode is accepted only if Xcode is allowed")
    func fullChain() throws {
        let full = Trial.authority
        let roots = try TrustedRoots.apple.adding(full.rootDER)
        let jws = try full.sign(Trial.transaction(environment: "Xcode"))
        let refusing = EvidenceVerifier(roots: roots)
        let allowing = EvidenceVerifier(roots: roots, allowedLocalEnvironments: [.xcode])
        #expect(
            Trial.code { _ = try refusing.verifyAny(jws, receivedAt: Trial.now) }
                == .wrongEnvironment)
        #expect(Trial.code { _ = try allowing.verifyAny(jws, receivedAt: Trial.now) } == nil)
    }

    @Test("Local parts are rejected in a genuine envelope, and vice versa")
    func mixed() throws {
        let full = Trial.authority
        let verifier = EvidenceVerifier(
            roots: try TrustedRoots.apple.adding(full.rootDER), allowedLocalEnvironments: [.xcode])
        let payload = Trial.transaction(environment: "Xcode")
        for (envelope, part) in [(full, authority), (authority, full)] {
            let jws = try envelope.sign(
                Trial.notification(transaction: try part.sign(payload), environment: "Xcode"))
            #expect(
                Trial.error { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                    == VerificationError(
                        .nestedPartInvalid, part: .transaction, reason: "",
                        cause: .untrustedRoot))
        }
    }

    @Test("The parts of a pair have one kind of trust anchor")
    func mixedPair() throws {
        // given
        let full = Trial.authority
        let verifier = EvidenceVerifier(
            roots: try TrustedRoots.apple.adding(full.rootDER), allowedLocalEnvironments: [.xcode])
        func error(_ first: Authority, _ second: Authority) throws -> VerificationError? {
            let transaction = try first.sign(Trial.transaction(environment: "Xcode"))
            let renewal = try second.sign(Trial.renewal(environment: "Xcode"))
            return Trial.error {
                _ = try verifier.verifyPair(
                    transaction: transaction, renewal: renewal, receivedAt: Trial.now)
            }
        }
        let mixed = VerificationError(
            .nestedPartInvalid, part: .renewal, reason: "", cause: .untrustedRoot)
        // then
        #expect(try error(full, authority) == mixed)
        #expect(try error(authority, full) == mixed)
        #expect(try error(full, full) == nil)
        #expect(try error(authority, authority) == nil)
    }
}
