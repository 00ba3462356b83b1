import AppStore
import Signing
import Simulator

@testable import Signing

/// Untrusted certificates: as a root that an operator adds, in DER or PEM, and in each place of a
/// presented certificate chain whose other two are genuine.
struct CertificateTarget: FuzzTarget {
    let name = "certificates"
    let maximumByteCount = CertificateChainPolicy.maximumCertificateByteCount + 64
    private let authority: Authority

    init(_ authority: Authority) { self.authority = authority }

    func seeds(_ source: SeedSource) throws -> [[UInt8]] {
        let chain = [authority.leafDER, authority.intermediateDER, authority.rootDER]
        let strangers = try CertificateTarget.wrongShapes.flatMap { shape in
            let stranger = try Authority(shape: shape)
            return [stranger.leafDER, stranger.intermediateDER]
        }
        return chain + chain.map { CertificateTarget.pem($0) }
            + [CertificateTarget.pem(chain[2]) + CertificateTarget.pem(chain[2])] + strangers
    }

    /// One defect each, visible in the certificate alone.
    private static var wrongShapes: [AuthorityShape] {
        let changes: [(inout AuthorityShape) -> Void] = [
            { $0.hasLeafMarker = false }, { $0.isLeafOnWrongCurve = true },
            { $0.isLeafCA = true }, { $0.isLeafCAForData = true }, { $0.mayLeafSign = false },
            { $0.hasUnknownCriticalExtension = true }, { $0.isIntermediateCA = false },
            { $0.mayIntermediateSign = false }, { $0.digest = "SHA1" },
        ]
        return changes.map { change in
            var shape = AuthorityShape()
            change(&shape)
            return shape
        }
    }

    private static func pem(_ der: [UInt8]) -> [UInt8] {
        var text = "-----BEGIN CERTIFICATE-----\n"
        var rest = Base64.standard.encode(der)[...]
        while !rest.isEmpty {
            text += String(decoding: rest.prefix(64), as: UTF8.self) + "\n"
            rest = rest.dropFirst(64)
        }
        return Array((text + "-----END CERTIFICATE-----\n").utf8)
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let der = Array(bytes)
        if let roots = try? TrustedRoots.apple.adding(der) {
            require(
                roots.fingerprints.isSuperset(of: TrustedRoots.apple.fingerprints),
                "adding a root removes none")
        }
        inspect(der)
        let (leaf, intermediate, root) = (
            authority.leafDER, authority.intermediateDER, authority.rootDER
        )
        verify(der, intermediate, root, isGenuine: der == leaf)
        verify(leaf, der, root, isGenuine: der == intermediate)
        verify(leaf, intermediate, der, isGenuine: der == root)
    }

    private func inspect(_ der: [UInt8]) {
        ErrorQueue.contained {
            guard let certificate = Certificate(der: der) else { return }
            _ = certificate.der
            _ = (certificate.isVersion3, certificate.isCA, certificate.mightBeCA)
            _ = (certificate.hasUnusableExtension, certificate.keyUsage, certificate.pathLength)
            _ = certificate.hasExtension(CertificateChainPolicy.leafMarker)
            if let window = certificate.validity { _ = window.contains(Timestamp(milliseconds: 0)) }
            _ = certificate.verificationKey
        }
    }

    private func verify(
        _ leaf: [UInt8], _ intermediate: [UInt8], _ root: [UInt8], isGenuine: Bool
    ) {
        let presented = PresentedCertificateChain(
            leaf: leaf, intermediate: intermediate, root: root,
            rootFingerprint: SHA256.hash(root))
        for isStrict in [false, true] {
            let chain = try? CertificateChainPolicy.verify(
                presented, part: .outer, isStrict: isStrict)
            // The keys belong to this test, so no other certificate can be signed by them.
            require(chain == nil || isGenuine || isReplaced(presented), "a forgery is refused")
        }
    }

    /// A certificate can be encoded differently with the same meaning to OpenSSL and the same
    /// signed bytes: the leaf's key is then still the authority's.
    private func isReplaced(_ presented: PresentedCertificateChain) -> Bool {
        ErrorQueue.contained {
            guard let leaf = Certificate(der: presented.leaf),
                let genuine = Certificate(der: authority.leafDER)
            else { return false }
            return leaf.publicKeyInfo == genuine.publicKeyInfo
        }
    }
}
