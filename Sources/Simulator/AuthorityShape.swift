public import AppStore

/// The properties of an `Authority` or a `ReceiptAuthority`. The defaults match Apple's; every
/// other setting is one defect.
public struct AuthorityShape: Sendable, Hashable {
    /// 2014-04-30 to 2039-04-30, like Apple Root CA - G3.
    public var rootValidity = AuthorityShape.days(16_190...25_322)
    /// 2020-01-01 to 2036-01-01.
    public var intermediateValidity = AuthorityShape.days(18_262...24_106)
    /// 2020-01-01 to 2035-01-01: longer than Apple's two years, so that stories can use any date of
    /// the subscription era.
    public var leafValidity = AuthorityShape.days(18_262...23_741)

    /// Apple's marker extension in the leaf.
    public var hasLeafMarker = true
    /// Apple's marker extension in the intermediate.
    public var hasIntermediateMarker = true
    /// The leaf's key on P-384 instead of P-256; such an authority cannot sign ES256.
    public var isLeafOnWrongCurve = false
    /// The leaf has the CA flag.
    public var isLeafCA = false
    /// The leaf has the CA flag, but its key may only sign data.
    public var isLeafCAForData = false
    /// False: the intermediate lacks the CA flag, although it issues the leaf.
    public var isIntermediateCA = true
    /// False: the intermediate lacks its issuer's key identifier, which only the strict profile of
    /// Apple's own chain demands.
    public var hasIssuerKeyIdentifier = true
    /// The root's path length permits no intermediate.
    public var violatesPathLength = false
    /// The leaf has an unknown critical extension.
    public var hasUnknownCriticalExtension = false
    /// The leaf's key is for key agreement only.
    public var mayLeafSign = true
    /// The intermediate's key may not sign certificates.
    public var mayIntermediateSign = true
    /// The leaf is signed by a key other than the intermediate's.
    public var isLeafForged = false
    /// The intermediate is signed by a key other than the root's.
    public var isIntermediateForged = false
    /// The leaf names another issuer than the intermediate's subject.
    public var isLeafMisnamed = false
    /// The digest over which certificates are signed: SHA1, MD5 and SHA-2's, as OpenSSL names them.
    public var digest = "SHA384"
    /// Length of the leaf's RSA key, for receipts.
    public var leafBitCount = 2048
    /// The certificates in the header.
    public var presentation = Presentation.appleOrder

    /// The shape of Apple's authority.
    public init() {}

    /// The shape of Apple's authority for receipts, whose root is valid from 2006-04-25 to
    /// 2035-02-09, like Apple Inc. Root. The others begin on 2008-02-14 and 2010-11-11 and last
    /// longer than Apple's, so that stories can use any date.
    public static var receipts: AuthorityShape {
        var shape = AuthorityShape()
        shape.rootValidity = days(13_263...23_781)
        shape.intermediateValidity = days(13_923...23_781)
        shape.leafValidity = days(14_924...23_781)
        shape.digest = "SHA256"
        return shape
    }

    /// The contents of a header's `x5c`.
    public enum Presentation: Sendable, Hashable, CaseIterable {
        /// Leaf, intermediate, root.
        case appleOrder
        case rootFirst
        case withoutRoot
        case leafOnly
        case empty
        case rootTwice
        case leafTwice

        func arrange(leaf: [UInt8], intermediate: [UInt8], root: [UInt8]) -> [[UInt8]] {
            switch self {
            case .appleOrder: [leaf, intermediate, root]
            case .rootFirst: [root, intermediate, leaf]
            case .withoutRoot: [leaf, intermediate]
            case .leafOnly: [leaf]
            case .empty: []
            case .rootTwice: [leaf, intermediate, root, root]
            case .leafTwice: [leaf, leaf, root]
            }
        }
    }

    /// A range of days since 1970 as timestamps.
    public static func days(_ range: ClosedRange<Int64>) -> ClosedRange<Timestamp> {
        let first = CivilDate(daysSinceEpoch: range.lowerBound)
        let last = CivilDate(daysSinceEpoch: range.upperBound)
        return Timestamp(first)...Timestamp(last)
    }
}
