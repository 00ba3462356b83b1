import AppStore
import Signing
import Simulator

@testable import Signing

/// Untrusted compact JWS: parsed, its header read, verified alone and as evidence.
///
/// Input that begins with `{` is also used as the decoded header of a JWS, since mutated base64url
/// rarely is valid.
struct CompactJWSTarget: FuzzTarget {
    let name = "compactJWS"
    let maximumByteCount = 16 * 1_024
    private let verifier: EvidenceVerifier
    private let authority: Authority

    init(_ authority: Authority) throws {
        self.authority = authority
        verifier = EvidenceVerifier(
            roots: try TrustedRoots.apple.adding(authority.rootDER),
            allowedLocalEnvironments: [.xcode])
    }

    func seeds(_ source: SeedSource) throws -> [[UInt8]] {
        let chain = [authority.leafDER, authority.intermediateDER, authority.rootDER]
        let headers = [
            Authority.header(algorithm: "ES256", certificates: chain),
            Authority.header(algorithm: "ES256", certificates: [authority.leafDER]),
            Array(
                #"{"alg":"none","x5c":["AAAA","AAAA","AAAA"],"kid":"k","typ":"JWT","crit":[]}"#.utf8
            ),
        ]
        let payloads = source.transactions.prefix(4) + source.renewals.prefix(4)
        return headers + (try payloads.map { try authority.sign($0) })
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        check(bytes)
        guard bytes.first == UInt8(ascii: "{") else { return }
        let token = CompactJWS.assemble(
            headerSegment: Base64.url.encode(bytes), payload: Array("{}".utf8),
            signature: [UInt8](repeating: 1, count: CompactJWS.signatureByteCount))
        token.withUnsafeBufferPointer { check($0) }
    }

    private func check(_ bytes: UnsafeBufferPointer<UInt8>) {
        let parsed = try? CompactJWS(parsing: Array(bytes))
        if let parsed {
            require(parsed.bytes.elementsEqual(bytes), "the parts reproduce the JWS")
        }
        if let verified = try? verifier.jws.verify(Array(bytes)) {
            require(parsed?.payload == verified.payload, "the verified payload equals the input")
        }
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        _ = try? verifier.verifyAny(Array(bytes), receivedAt: now)
        _ = try? verifier.verifyRenewal(Array(bytes), fallbackDate: now)
    }
}
