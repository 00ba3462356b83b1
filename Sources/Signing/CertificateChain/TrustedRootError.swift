/// Why a certificate cannot be a trusted root, for the operator who configured it.
public struct TrustedRootError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; clients compare the raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// Neither a single DER certificate nor PEM with at least one.
        case notACertificate
        /// Larger than a certificate may be (`CertificateChainPolicy.maximumCertificateByteCount`).
        case tooLarge
        /// Not a self-issued X.509 v3 authority, so no chain can end in it.
        case notARoot
    }

    /// The stable code.
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// The code and the accepted input.
    public var description: String {
        switch code {
        case .notACertificate: "\(code.rawValue): give one certificate as DER, or PEM."
        case .tooLarge:
            "\(code.rawValue): at most \(CertificateChainPolicy.maximumCertificateByteCount) bytes."
        case .notARoot: "\(code.rawValue): give a self-signed X.509 v3 certificate authority."
        }
    }
}
