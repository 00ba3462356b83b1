/// Why a certificate cannot be trusted as a root. For the operator who configured it.
public struct TrustedRootError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; the raw value is what machines read.
    public enum Code: String, Sendable, CaseIterable {
        /// Neither one DER certificate nor PEM with at least one.
        case notACertificate
        /// Larger than a certificate may be (`ChainPolicy.maximumCertificateByteCount`).
        case tooLarge
        /// Not a self-issued X.509 v3 authority, so no chain could end in it.
        case notARoot
    }

    /// What machines compare.
    public let code: Code

    /// An error of this code.
    public init(_ code: Code) { self.code = code }

    /// The code and what to give instead.
    public var description: String {
        switch code {
        case .notACertificate: "\(code.rawValue): give one certificate as DER, or PEM."
        case .tooLarge:
            "\(code.rawValue): at most \(ChainPolicy.maximumCertificateByteCount) bytes."
        case .notARoot: "\(code.rawValue): give a self-signed X.509 v3 certificate authority."
        }
    }
}
