import AppStore
import Ledger
import LedgerTestSupport
import Projection
import SQLiteStore
import Simulator

/// The whole past of migrated customers in the ledger, compared with the simulator's truth.
struct MigratedPast {
    let reported: OriginalStoreKit
    let ids: [String]
    let stated: StatedLives
    let catalogue: Catalogue

    struct Differences {
        var counts: [MigratedExcuse: Int] = [:]
        /// Differences without an excuse, or longer than it holds; by customer.
        var wrong: [String: [String]] = [:]
        var comparedCount = 0
    }

    /// The ledger's facts about the customers.
    func facts(_ place: TemporaryLedger) async throws -> [String: [Fact]] {
        let chains = ids.map {
            ChainId(bundleId: AskedApple.app, originalTransactionId: OriginalTransactionId($0))
        }
        let facts = try await place.session { try await $0.ledger.facts.facts(of: chains) }
        return Dictionary(
            uniqueKeysWithValues: facts.map { ($0.0.originalTransactionId.rawValue, $0.1) })
    }

    func differences(_ facts: [String: [Fact]]) -> Differences {
        var differences = Differences()
        for (id, facts) in facts {
            compare(
                id, Lifecycle(facts, environment: .production, catalogue: catalogue),
                &differences)
        }
        return differences
    }

    /// Every interval between two changes of either side, until now.
    private func compare(_ id: String, _ life: Lifecycle, _ differences: inout Differences) {
        var truth: [TrueInterval] = []
        var moment = AskedApple.now
        while let interval = reported.truth(of: id, at: moment) {
            truth.insert(interval, at: 0)
            moment = interval.from.advanced(byMilliseconds: -1)
        }
        let moments = Set(truth.map(\.from) + life.intervals.map(\.from)).sorted()
            .filter { $0 <= AskedApple.now }
        var before: MigratedExcuse?
        for (index, moment) in moments.enumerated() {
            differences.comparedCount += 1
            let end = index + 1 < moments.count ? moments[index + 1] : AskedApple.now
            let place = truth.lastIndex { $0.from <= moment }
            let said = life.intervals.last { $0.from <= moment }
            guard place.map({ truth[$0].state.rawValue }) != said?.state.rawValue else {
                before = nil
                continue
            }
            let so = place.map { truth[$0].state.rawValue } ?? "nothing"
            let text = "\(moment.rfc3339): \(said?.state.rawValue ?? "nothing") for \(so)"
            guard let place, let said else {
                differences.wrong[id, default: []].append(text)
                continue
            }
            let stretch = PastStretch(
                from: moment, truth: truth, place: place, said: said, before: before,
                stated: stated)
            guard let (excuse, until) = stretch.excuse else {
                differences.wrong[id, default: []].append(text)
                continue
            }
            if end > until {
                differences.wrong[id, default: []].append(
                    "\(text) until \(end.rfc3339), \(excuse.rawValue) until \(until.rfc3339)")
            }
            differences.counts[excuse, default: 0] += 1
            before = excuse
        }
    }
}
