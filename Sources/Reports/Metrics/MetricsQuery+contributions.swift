import AppStore
import Foundation
import Ledger
import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore
import Synchronization

private typealias ContributionPages = SharedPages<ContributionPage, Int64>

extension MetricsQuery {
    /// Chains whose facts are read in one batch.
    private static let foldedChainCount = 500

    /// Sums a roll-forward from the stored contributions of each chain, on all cores. Only chains
    /// with facts after the requested knowledge are decoded and folded.
    func sumContributions(
        _ question: RollForwardQuery
    ) async throws(StoreError) -> MovementTally {
        // Later rows may name classes that are not in this list; they belong to chains that changed
        // since, which are folded.
        let classes = try await snapshot.projections.metricClasses()
        let empty = MovementTally(question, classes: classes, bundleId: bundleId)
        let projections = snapshot.projections
        let pages = ContributionPages(from: 0) { place throws(StoreError) in
            try await projections.contributions(after: place).map { ($0, $0.last) }
        }
        return try await empty.adding(0..<ProcessInfo.processInfo.activeProcessorCount) {
            sum, _ throws(StoreError) in
            try await addPages(pages, to: &sum)
        }
    }

    private func addPages(
        _ pages: ContributionPages, to sum: inout MovementTally
    ) async throws(StoreError) {
        while let page = try await pages.next() {
            var changed: [Int64] = []
            var isUnnamed = false
            try page.readChains { chain in
                guard isKnown(chain) else { return }
                guard isUsable(chain) else { return changed.append(chain.subscription) }
                guard chain.hasLife, sum.isOfApp(chain.movements.first) else { return }
                sum.tally.hasChains = true
                for movement in chain.movements {
                    let instant = sum.instant(after: Timestamp(milliseconds: movement.at))
                    let isNamed = sum.add(SummedMovement(movement), before: instant, chains: 1)
                    if !isNamed { isUnnamed = true }
                }
            }
            guard !isUnnamed else { throw MovementTally.unnamed(snapshot.projections) }
            try await fold(changed, &sum)
            // Pages are of chains; `report` states events.
            report(snapshot.position * page.last / max(page.end, 1), snapshot.position)
        }
        sum.addCounts()
    }

    /// Whether any fact of a chain is within the requested knowledge.
    private func isKnown(_ chain: ContributionPage.Chain) -> Bool {
        chain.firstPosition <= snapshot.position
            && knowledge.admits(
                position: chain.firstPosition, receivedAt: chain.firstReceivedAt)
    }

    /// Whether no fact of a chain is after the requested knowledge. For a chain without movements
    /// even the app is unknown here.
    private func isUsable(_ chain: ContributionPage.Chain) -> Bool {
        chain.lastPosition <= snapshot.position && (bundleId == nil || !chain.movements.isEmpty)
            && knowledge.admits(position: chain.lastPosition, receivedAt: chain.receivedAt)
    }

    private func fold(
        _ subscriptions: [Int64], _ sum: inout MovementTally
    ) async throws(StoreError) {
        for some in subscriptions.pieces(of: MetricsQuery.foldedChainCount) {
            let chains = try await snapshot.projections.chains(numbered: some)
            let meant = chains.filter { bundleId == nil || $0.bundleId == bundleId }
            for (chain, facts) in try await snapshot.facts.facts(of: meant) {
                let known = facts.filter {
                    $0.position <= snapshot.position && knowledge.admits($0)
                }
                let life = snapshot.ledger.life(of: known)
                guard !life.isEmpty else { continue }
                sum.tally.hasChains = true
                guard !life.isOneTime else { continue }
                sum.add(
                    ChainMetrics(life, of: chain.bundleId, catalogue: snapshot.ledger.catalogue))
            }
        }
    }
}
