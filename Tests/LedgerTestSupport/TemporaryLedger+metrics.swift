import AppStore
import Intake
import Ledger
import Queries
import Reports

extension TemporaryLedger {
    /// Passes a query of metrics to `body`.
    package func metrics<Value>(
        knowledge: AsOf = .everything, rates: CurrencyRates? = nil, now: Timestamp? = nil,
        bundleId: String? = nil, _ body: (MetricsQuery) async throws -> Value
    ) async throws -> Value {
        try await session { session in
            var query = MetricsQuery(
                session.snapshot, reportTimeZone: configuration.reportTimeZone,
                now: now ?? self.now, knowledge: knowledge, bundleId: bundleId.map { BundleId($0) })
            query.rates = rates
            return try await body(query)
        }
    }
}

extension MetricParameters {
    /// The months of a made chain, January to April 2026.
    package static func made(
        by: [String] = [], where filters: [String] = [], interval: String? = nil
    ) -> MetricParameters {
        var words = MetricParameters()
        (words.from, words.to, words.interval) = ("2026-01-01", "2026-05-01", interval)
        (words.by, words.filters) = (by, filters)
        return words
    }
}

extension MadeDelivery {
    /// The same purchase as a free trial.
    package var asTrial: MadeDelivery {
        withTransaction {
            $0.price = 0
            $0.offerType = Raw(.introductoryOffer)
            $0.offerDiscountType = Raw(.freeTrial)
        }
    }

    /// The same purchase for 5 €.
    package var inEuros: MadeDelivery {
        withTransaction {
            $0.currency = "EUR"
            $0.price = 5_000
        }
    }
}
