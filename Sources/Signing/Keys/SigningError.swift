/// Why a key or certificate could not be made or read. Never contains key material.
package struct SigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; clients compare the raw value.
    package enum Code: String, Sendable, CaseIterable {
        /// Not a single PKCS#8 private key in PEM, as issued by App Store Connect (`.p8`).
        case unreadableKey
        /// The key is on a different curve than the operation needs.
        case wrongCurve
        /// OpenSSL failed: out of memory, or an argument it cannot encode.
        case refused
    }

    /// The stable code.
    package let code: Code

    package init(_ code: Code) { self.code = code }

    package var description: String { code.rawValue }
}
