/// Why a key or certificate could not be made or read. Never holds key material.
package struct MintingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; the raw value is what machines read.
    package enum Code: String, Sendable, CaseIterable {
        /// Not one PKCS#8 private key in PEM, as App Store Connect issues them (`.p8`).
        case unreadableKey
        /// The key is on another curve than the operation needs.
        case wrongCurve
        /// OpenSSL refused: out of memory, or an argument it cannot encode.
        case refused
    }

    /// What machines compare.
    package let code: Code

    /// An error of this code.
    package init(_ code: Code) { self.code = code }

    /// The code.
    package var description: String { code.rawValue }
}
