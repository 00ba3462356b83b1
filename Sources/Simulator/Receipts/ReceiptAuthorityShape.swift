public import AppStore

/// The properties of a `ReceiptAuthority`. The defaults match Apple's; every other setting is one
/// defect.
public struct ReceiptAuthorityShape: Sendable, Hashable {
    /// 2006-04-25 to 2035-02-09, like Apple Inc. Root.
    public var rootValidity = AuthorityShape.days(13_263...23_781)
    /// 2008-02-14 to 2035-02-09: longer than Apple's, so that stories can use any date.
    public var intermediateValidity = AuthorityShape.days(13_923...23_781)
    /// 2010-11-11 to 2035-02-09.
    public var signerValidity = AuthorityShape.days(14_924...23_781)

    /// Apple's marker extension in the signer's certificate.
    public var hasSignerMarker = true
    /// Apple's marker extension in the intermediate.
    public var hasIntermediateMarker = true
    /// The signer has the CA flag.
    public var isSignerCA = false
    /// False: the intermediate lacks the CA flag, although it issues the signer.
    public var isIntermediateCA = true
    /// The signer's key is for key agreement only.
    public var maySignerSign = true
    /// The signer's certificate is signed by a key other than the intermediate's.
    public var isSignerForged = false
    /// The intermediate is signed by a key other than the root's.
    public var isIntermediateForged = false
    /// The signer names another issuer than the intermediate's subject.
    public var isSignerMisnamed = false
    /// Length of the signer's RSA key.
    public var signerBitCount = 2048
    /// Certificates are signed over SHA-1, as Apple's were until 2020.
    public var usesSHA1 = false
    /// Certificates are signed over MD5.
    public var usesMD5 = false

    /// The shape of Apple's authority.
    public init() {}
}
