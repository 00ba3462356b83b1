import AppStore
import Signing
import Simulator

/// One disposable authority for the whole run: generating its keys costs more than most tests.
enum TestAuthority {
    static let shared: Authority = {
        do { return try Authority() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    /// Apple's root, and that of the authority.
    static let roots: TrustedRoots = {
        do { return try TrustedRoots.apple.adding(shared.rootDER) } catch {
            fatalError("the authority's own root is no certificate: \(error)")
        }
    }()

    static let signer = DeliverySigner(authority: shared)
}
