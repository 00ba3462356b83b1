public import AppStore

/// A customer's current and past entitlements at one moment: the union over chains, purchases and
/// grants (`Lifecycle.md` §6). Pure: the same holdings, grants, moment and catalogue give the same
/// answer.
public struct Entitlements: Hashable, Sendable {
    public let standing: Standing
    /// By name, in byte order: current and past ones.
    public let verdicts: [Verdict]
    /// Every product the customer ever had, in byte order.
    public let products: [ProductStanding]
    /// Every subscription group, in byte order.
    public let groups: [GroupStanding]

    public struct ProductStanding: Hashable, Sendable {
        public let productId: ProductId
        public let standing: Standing
    }

    public struct GroupStanding: Hashable, Sendable {
        /// The catalogue's name of the group, else Apple's identifier.
        public let group: String
        public let standing: Standing
    }

    /// - `holdings`: every chain the customer ever held; each complete from `at` or earlier.
    /// - `grants`: every grant to the customer.
    public init(
        at: Timestamp, holdings: [Holding], grants: [Grant], catalogue: Catalogue
    ) {
        var reader = EntitlementReader(at: at, catalogue: catalogue)
        for holding in holdings { reader.read(holding) }
        for grant in grants { reader.read(grant) }
        standing = reader.overall
        verdicts = reader.verdicts
        products = reader.products.sorted { $0.key < $1.key }
            .map { ProductStanding(productId: $0.key, standing: $0.value) }
        groups = reader.groups.sorted { $0.key < $1.key }
            .map { GroupStanding(group: $0.key.rawValue, standing: $0.value) }
    }
}

extension Entitlements {
    /// The first moment after `time` at which the clock alone can change the answer: where a
    /// stretch, a grant or leeway begins or ends; nil if there is none. Until then everything but
    /// the moment itself stays the same.
    ///
    /// The parameters are those of `init`.
    public static func nextMoment(
        after time: Timestamp, holdings: [Holding], grants: [Grant], catalogue: Catalogue
    ) -> Timestamp? {
        var next: Timestamp?
        func note(_ moment: Timestamp?) {
            guard let moment, moment > time else { return }
            next = min(next ?? moment, moment)
        }
        for holding in holdings {
            for stretch in holding.stretches {
                note(stretch.from)
                note(stretch.to)
            }
            guard let overdue = holding.overdue else { continue }
            note(overdue.from)
            note(overdue.from.advanced(byMilliseconds: catalogue.leewayMilliseconds))
        }
        for grant in grants {
            note(grant.from)
            note(grant.end)
        }
        return next
    }
}
