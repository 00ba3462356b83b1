import AppStore
import Ledger
import LedgerTestSupport
import Reports
import Simulator
import Testing

/// Other definitions over simulated lives against plain recounts of the payments.
@Suite("Other definitions against a plain recount of simulated lives")
struct RecountedDefinitionTests {
    /// A transaction that gave access, from the first moment of access.
    private struct Paid {
        let from: Timestamp
        let isTrial: Bool
        let isStandard: Bool
        let product: ProductId?
        /// Whether access was uninterrupted until this payment.
        let isContinued: Bool
        let isFirst: Bool
    }

    /// In order; a period that was paid for twice counts once.
    private func paid(_ life: RecountedLife) -> [Paid] {
        var found: [Paid] = []
        var before: RecountedLife.Stretch?
        var seen: Set<TransactionId> = []
        for stretch in life.stretches {
            defer { before = stretch }
            guard stretch.isEntitled, seen.insert(stretch.interval.transactionId).inserted else {
                continue
            }
            let payload = stretch.payload
            found.append(
                Paid(
                    from: stretch.interval.from, isTrial: stretch.isTrial,
                    isStandard: payload.offerType == nil && payload.offerDiscountType == nil,
                    product: payload.productId, isContinued: before?.isEntitled ?? false,
                    isFirst: before == nil))
        }
        return found
    }

    private func check(
        _ world: RecountedWorld, _ metric: String, _ pack: DefinitionPack, _ figure: String,
        plain: ([Paid]) -> [Timestamp]
    ) async throws {
        let report = try await world.query { try await $0.comparison(metric, $1, pack) }
        let moments = world.lives.flatMap { plain(paid($0)) }
        var (count, moved) = (0, false)
        for row in report.rows where row.figure == figure {
            let inside = moments.count { row.from <= $0 && $0 < row.to }
            #expect(row.theirs == Int64(inside), "\(metric) \(pack) \(row.from.rfc3339)")
            count += inside
            if row.theirs != row.ours { moved = true }
        }
        #expect(count > 5 && moved, "\(metric) \(pack)")
    }

    @Test("Starts: first payments for RevenueCat, also payments after a gap for App Store Connect")
    func starts() async throws {
        let world = try await RecountedWorld.copy()
        try await check(world, "starts", .revenuecat, "paidStarts") { paid in
            paid.first { !$0.isTrial }.map { [$0.from] } ?? []
        }
        try await check(world, "starts", .appstoreconnect, "paidStarts") { paid in
            paid.filter { !$0.isTrial && ($0.isFirst || !$0.isContinued) }.map(\.from)
        }
    }

    @Test("Adapty: a trial converts by any later payment, and begins its cohort")
    func trials() async throws {
        let world = try await RecountedWorld.copy()
        try await check(world, "trials", .adapty, "converted") { paid in
            paid.indices.filter { index in
                paid[index].isTrial && paid[(index + 1)...].contains { !$0.isTrial }
            }.map { paid[$0].from }
        }
        try await check(world, "retention", .adapty, "cohort") { paid in
            (paid.first?.isTrial == true ? paid.first : paid.first { !$0.isTrial })
                .map { [$0.from] } ?? []
        }
    }

    @Test(
        "RevenueCat: purchases while inactive resubscribe; cohorts are stays of one product"
    )
    func stays() async throws {
        let world = try await RecountedWorld.copy()
        try await check(world, "reactivations", .revenuecat, "reactivated") { paid in
            paid.filter { !$0.isFirst && !$0.isContinued }.map(\.from)
        }
        try await check(world, "retention", .revenuecat, "cohort") { paid in
            beginnings(paid, of: { !$0.isTrial && $0.isStandard }) { before, payment in
                !payment.isContinued || payment.product != before.product
            }
        }
        try await check(world, "retention", .appstoreconnect, "cohort") { paid in
            beginnings(paid, of: { !$0.isTrial }) { !$1.isContinued }
        }
    }

    /// The first payment that counts, and each with a break since the one before that counts.
    private func beginnings(
        _ paid: [Paid], of isCounted: (Paid) -> Bool, isBreak: (Paid, Paid) -> Bool
    ) -> [Timestamp] {
        var (found, isBroken) = ([] as [Timestamp], true)
        for (index, payment) in paid.enumerated() {
            if index > 0, isBreak(paid[index - 1], payment) { isBroken = true }
            guard isCounted(payment) else { continue }
            if isBroken { found.append(payment.from) }
            isBroken = false
        }
        return found
    }
}
