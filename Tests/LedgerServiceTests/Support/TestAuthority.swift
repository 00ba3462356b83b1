import Signing
import Simulator

/// One throw-away authority for the whole run: creating its keys costs more than most tests.
enum TestAuthority {
    static let shared: Authority = {
        do { return try Authority() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    /// Apple's root and the authority's.
    static let roots: TrustedRoots = {
        do { return try TrustedRoots.apple.adding(shared.rootDER) } catch {
            fatalError("the authority's own root is not a certificate: \(error)")
        }
    }()

    static let rootFingerprint = SHA256.hash(shared.rootDER)
    static let signer = DeliverySigner(authority: shared)
}
