import AppStore
import AppStoreAPI
import Signing
import Simulator

/// One throw-away authority for the whole run: creating its keys costs more than most tests.
package enum TestAuthority {
    package static let shared: Authority = {
        do { return try Authority() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    /// Apple's root and the authority's.
    package static let roots: TrustedRoots = {
        do { return try TrustedRoots.apple.adding(shared.rootDER) } catch {
            fatalError("the authority's own root is not a certificate: \(error)")
        }
    }()

    /// Signs receipts; its root is not among `roots`.
    package static let receipts: ReceiptAuthority = {
        do { return try ReceiptAuthority() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    /// The key of every simulated API.
    package static let key: ServedKey = {
        do { return try ServedKey() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    package static let rootFingerprint = SHA256.hash(shared.rootDER)
    package static let signer = DeliverySigner(authority: shared)
}

extension ServedKey {
    /// Those of a client that uses this key.
    package func credentials(_ app: BundleId) throws -> APICredentials {
        try APICredentials(keyId: keyId, issuerId: issuerId, bundleId: app, pem: pem)
    }
}
