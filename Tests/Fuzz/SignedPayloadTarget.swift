import AppStore
import Signing
import Simulator

/// Any payload under a genuine signature: code after the signature check must not rely on Apple's
/// payloads being valid.
struct SignedPayloadTarget: FuzzTarget {
    let name = "signedPayload"
    let maximumByteCount = 32 * 1_024
    private let verifier: EvidenceVerifier
    private let authority: Authority

    init(_ authority: Authority) throws {
        self.authority = authority
        verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
    }

    func seeds(_ source: SeedSource) throws -> [[UInt8]] {
        try source.notifications + source.transactions + source.renewals + [
            Array(FullPayloads.minified(FullPayloads.appTransaction).utf8)
        ]
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let token = try? authority.sign(Array(bytes)) else { return }
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        _ = try? verifier.verifyAny(token, receivedAt: now)
        _ = try? verifier.verifyNotification(token, receivedAt: now)
        _ = try? verifier.verifyTransaction(token, receivedAt: now)
        _ = try? verifier.verifyRenewal(token, fallbackDate: now)
    }
}
