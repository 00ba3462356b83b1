import AppStore
package import Ledger
import LedgerStore
package import Projection
internal import Queries
internal import SQLiteStore

extension MetricsQuery {
    /// A roll-forward and the state from which it was summed.
    package struct RollForwardAnswer: Sendable {
        package var rollForward: RollForward
        var tally: Tally
        /// The position of the answer; stored sums may be ahead of the snapshot.
        var head: Int64
        /// The completeness read with the sums; nil: the latest.
        var completeness: Completeness?
        /// The source of the rows.
        package var source: MovementSource
    }

    /// Sums a roll-forward from the fastest source that has the answer. Converted money is always
    /// summed from facts, since rates belong to one report.
    ///
    /// - Parameters:
    ///   - zone: the zone whose days the question's instants begin.
    ///   - sources: the permitted sources.
    package func rollForward(
        _ question: RollForwardQuery, by zone: ReportZone,
        from sources: Set<MovementSource> = Set(MovementSource.allCases)
    ) async throws(MetricsError) -> RollForwardAnswer {
        let isConverted = rates != nil && question.measure == .money
        let answer = try await summed(question, zone, isConverted ? [] : sources)
        guard !answer.rollForward.isTooLarge else { throw .amountTooLarge }
        return answer
    }

    private func summed(
        _ question: RollForwardQuery, _ zone: ReportZone, _ sources: Set<MovementSource>
    ) async throws(MetricsError) -> RollForwardAnswer {
        do throws(StoreError) {
            if sources.contains(.sums), let stored = try await storedSums(question, zone) {
                return stored
            }
            if sources.contains(.contributions) {
                let sum = try await sumContributions(question)
                return RollForwardAnswer(
                    rollForward: sum.rollForward, tally: sum.tally, head: snapshot.position,
                    source: .contributions)
            }
        } catch {
            throw .store(error)
        }
        return try await folded(question, zone)
    }

    // MARK: Sums

    /// Nil when stored sums cannot answer: another zone, an earlier state of knowledge, rows that
    /// begin within a day, or a clock behind the newest fact.
    private func storedSums(
        _ question: RollForwardQuery, _ zone: ReportZone
    ) async throws(StoreError) -> RollForwardAnswer? {
        let days = snapshot.ledger.days
        guard knowledge == .everything, zone.days.name == days.name,
            let plan = MovementPlan(question.instants, days: days, now: now),
            let stored = try await snapshot.projections.movements(plan),
            stored.position >= snapshot.position, stored.newestSignedAt.map({ $0 <= now }) ?? true
        else { return nil }
        let sum = try await MovementTally.sum(
            stored,
            from: MovementTally(question, classes: stored.classes, bundleId: bundleId),
            presentDay: plan.presentDay, in: snapshot.projections)
        var tally = Tally()
        for counted in stored.classes.classes
        where bundleId == nil || counted.values.app == bundleId {
            tally.note(counted)
            tally.hasChains = true
        }
        if !tally.hasChains, stored.hasChains {
            tally.hasChains = try await hasChains()
        }
        return RollForwardAnswer(
            rollForward: sum.rollForward, tally: tally, head: stored.position,
            completeness: stored.completeness, source: .sums)
    }

    private func hasChains() async throws(StoreError) -> Bool {
        guard let bundleId else { return true }
        return try await snapshot.projections.hasChains(of: bundleId)
    }

    // MARK: Facts

    private func folded(
        _ question: RollForwardQuery, _ zone: ReportZone
    ) async throws(MetricsError) -> RollForwardAnswer {
        let catalogue = snapshot.ledger.catalogue
        let conversion = RateConversion(
            rates: question.measure == .money ? rates : nil, question: question, zone: zone)
        let sum = try await sumLives(MovementTally(question)) { sum, chain, life in
            sum.tally.hasChains = true
            guard !life.isOneTime else { return }
            let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
            sum.add(conversion.converted(metrics, &sum.tally.rateGaps))
        }
        return RollForwardAnswer(
            rollForward: sum.rollForward, tally: sum.tally, head: snapshot.position, source: .facts)
    }
}
