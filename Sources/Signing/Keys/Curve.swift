/// The two curves of App Store certificates (`Verification.md`).
package enum Curve: String, Sendable, CaseIterable {
    /// Leaf certificates, JWS and API tokens. Also named prime256v1.
    case p256 = "P-256"
    /// Root and intermediate authorities.
    case p384 = "P-384"

    /// OpenSSL's name of the group.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        }
    }
}
