import AppStore
import Ledger

/// The app of every chain in these tests.
let app = BundleId("com.example.app")

extension Lifecycle {
    func metrics(_ catalogue: Catalogue = Catalogue()) -> ChainMetrics {
        ChainMetrics(self, of: app, catalogue: catalogue)
    }

    /// The only row of one interval.
    func rollForward(
        _ from: Timestamp, _ to: Timestamp, _ measure: RollForwardQuery.Measure = .chains,
        catalogue: Catalogue = Catalogue()
    ) -> RollForwardRow? {
        let rows = rows(RollForwardQuery(measure, instants: [from, to]), catalogue)
        return rows.count == 1 ? rows[0] : nil
    }

    func rows(_ question: RollForwardQuery, _ catalogue: Catalogue = Catalogue())
        -> [RollForwardRow]
    {
        var sum = RollForward(question)
        sum.add(metrics(catalogue))
        return sum.rows()
    }
}

/// Sums of all columns that are not 0.
func reported(
    _ life: Lifecycle, _ metric: CountedMetric, limit: Timestamp = day(1_000),
    instants: [Timestamp] = []
) -> [String: Int64] {
    life.occurrences(
        of: metric, in: app, catalogue: Catalogue(), limit: limit, instants: instants
    ).reduce(into: [:]) { sums, found in
        for (column, amount) in found.amounts where amount != 0 {
            sums[column, default: 0] += amount
        }
    }
}

extension RollForwardRow {
    /// The columns that are not 0, by name.
    var reported: [String: Int64] {
        Dictionary(uniqueKeysWithValues: columns.map { ($0.key.name, $0.value) })
    }
}

extension RollForwardColumn {
    var name: String {
        switch self {
        case .gained(let gain): gain.rawValue
        case .converted: "converted"
        case .expansion: "expansion"
        case .movedIn: "movedIn"
        case .movedOut: "movedOut"
        case .toFree: "toFree"
        case .contraction: "contraction"
        case .churned(let reason): "churned.\(reason.rawValue)"
        }
    }
}

extension Fact {
    /// The same transaction at a price.
    func priced(_ milliunits: Int64?, _ currency: String? = "USD") -> Fact {
        transaction {
            $0.price = milliunits
            $0.currency = currency
        }
    }

    func product(_ id: String) -> Fact { transaction { $0.productId = ProductId(id) } }

    /// The same transaction as a free trial.
    var asTrial: Fact {
        priced(0).transaction {
            $0.offer = Offer(
                type: Raw(.introductoryOffer), discountType: Raw(.freeTrial), period: "P1W")
        }
    }

    func owned(_ ownership: InAppOwnershipType) -> Fact {
        transaction { $0.inAppOwnershipType = Raw(ownership) }
    }
}
