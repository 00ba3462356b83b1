/// A subject or issuer, in the order Apple's certificates use: CN, OU, O, C.
struct DistinguishedName: Hashable, Sendable {
    /// CN.
    var commonName: String
    /// OU; omitted if nil.
    var organizationalUnit: String?
    /// O; omitted if nil.
    var organization: String?
    /// ISO 3166 alpha-2.
    var country: String?

    /// OpenSSL's short names with their values, in order.
    var entries: [(name: String, value: String)] {
        [("CN", commonName), ("OU", organizationalUnit), ("O", organization), ("C", country)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}
