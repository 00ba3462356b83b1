/// Why a certificate cannot be a trusted root, for the operator who configured it.
public struct TrustedRootError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; clients compare the raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// Neither a single DER certificate nor PEM with at least one.
        case notACertificate
        /// DER over `CertificateChainPolicy.maximumCertificateByteCount`, or PEM over 1 MiB.
        case tooLarge
        /// Not a self-issued X.509 v3 authority, so no chain can end in it.
        case notARoot
    }

    /// The stable code.
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// Why the bytes are refused, and what is accepted.
    public var description: String {
        switch code {
        case .notACertificate: "It is no certificate; give one as DER, or PEM."
        case .tooLarge:
            "At most \(CertificateChainPolicy.maximumCertificateByteCount) bytes, or 1 MiB of PEM."
        case .notARoot:
            "It is no certificate authority; give a self-signed one of X.509 v3."
        }
    }
}
