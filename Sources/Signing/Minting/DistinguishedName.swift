/// A subject or issuer, in the order Apple's certificates use: CN, OU, O, C.
package struct DistinguishedName: Hashable, Sendable {
    /// CN.
    package var commonName: String
    /// OU; omitted if nil.
    package var organizationalUnit: String?
    /// O; omitted if nil.
    package var organization: String?
    /// ISO 3166 alpha-2.
    package var country: String?

    package init(
        commonName: String, organizationalUnit: String? = nil, organization: String? = nil,
        country: String? = nil
    ) {
        self.commonName = commonName
        self.organizationalUnit = organizationalUnit
        self.organization = organization
        self.country = country
    }

    /// OpenSSL's short names with their values, in order.
    var entries: [(name: String, value: String)] {
        [("CN", commonName), ("OU", organizationalUnit), ("O", organization), ("C", country)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}
