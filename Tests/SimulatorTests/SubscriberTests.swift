import AppStore
import LedgerTestSupport
import Testing

@testable import Simulator

/// The generator: its output is reproducible, well-formed, and covers everything.
struct SubscriberTests {
    static let world = SubscriberWorld()

    @Test(
        "The same seed gives the same bytes, and another seed others",
        arguments: 0..<10 as Range<UInt64>)
    func determinism(seed: UInt64) {
        let once = Self.world.life(seed: seed)
        let again = Self.world.life(seed: seed)
        #expect(Self.bytes(once) == Self.bytes(again))
        #expect(once.truth == again.truth)
        #expect(once.moments == again.moments)
        #expect(once.losses == again.losses)
        #expect(Self.bytes(once) != Self.bytes(Self.world.life(seed: seed + 50)))
    }

    @Test("A few hundred seeds exercise every form of evidence, loss, state and reason")
    func coverage() {
        var tally = CoverageTally()
        for life in TruthTests.lives {
            tally.add(life)
            if tally.missing.isEmpty { break }
        }
        #expect(tally.missing.isEmpty)
    }

    @Test("A tally without lives misses everything")
    func emptyTally() {
        let tally = CoverageTally()
        let everything =
            CoverageTally.forms.count + LossRecord.Kind.allCases.count
            + TrueState.allCases.count + TrueReason.allCases.count
        #expect(tally.missing.count == everything)
    }

    @Test("True intervals are adjacent, the last is open, none is empty")
    func intervals() {
        for life in TruthTests.lives.prefix(200) {
            for truth in [life.truth] + life.losses.map(\.truth) {
                #expect(Self.isAdjacent(truth), "seed \(life.seed)")
            }
        }
    }

    @Test("Deliveries come in the order of signing, each with its own ordinal")
    func order() {
        for life in TruthTests.lives.prefix(200) {
            let dates = life.deliveries.compactMap(\.signedDate)
            #expect(dates.count == life.deliveries.count)
            #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(life.seed)")
            #expect(Set(life.deliveries.map(\.ordinal)).count == life.deliveries.count)
            #expect(
                life.deliveries.allSatisfy { delivery in
                    delivery.signedDate.map { $0 <= delivery.receivedAt } ?? false
                })
        }
    }

    @Test("No id is used by two lives, and no notificationUUID twice")
    func identifiers() {
        var chains: Set<OriginalTransactionId> = []
        var transactions: [TransactionId: UInt64] = [:]
        var notifications: Set<NotificationUUID> = []
        for life in TruthTests.lives.prefix(300) {
            #expect(chains.insert(life.originalTransactionId).inserted)
            for delivery in life.deliveries {
                #expect(
                    delivery.transaction?.originalTransactionId == life.originalTransactionId)
                if let id = delivery.transaction?.transactionId {
                    let owner = transactions.updateValue(life.seed, forKey: id)
                    #expect(owner ?? life.seed == life.seed)
                }
                if case .notification(let notification, _, _) = delivery.evidence,
                    let id = notification.notificationUUID
                {
                    #expect(notifications.insert(id).inserted)
                    #expect(id.rawValue.utf8.count == 36)
                }
            }
        }
    }

    @Test("Periods in Production are whole calendar months, days clamped and then restored")
    func calendar() throws {
        let bought = try #require(Timestamp(rfc3339: "2024-01-31T10:00:00Z"))
        let world = SubscriberWorld(firstPurchases: bought...bought)
        var (seen, restored) = (0, 0)
        for seed in 0..<400 as Range<UInt64> where seen < 12 || restored < 5 {
            let life = world.life(seed: seed)
            let monthly = ["com.example.pro.monthly", "com.example.pro.commitment"]
            guard life.environment == .production, let first = life.deliveries.first?.transaction,
                let product = first.productId, monthly.contains(product.rawValue),
                first.offerType == nil
            else { continue }
            seen += 1
            #expect(first.expiresDate?.rfc3339 == "2024-02-29T10:00:00.000Z")
            let second = life.deliveries.compactMap(\.transaction).first { transaction in
                transaction.purchaseDate == first.expiresDate
                    && transaction.productId == first.productId && transaction.offerType == nil
            }
            let isExtended = life.deliveries.contains { delivery in
                guard case .notification(let notification, _, _) = delivery.evidence else {
                    return false
                }
                return notification.notificationType == Raw(.renewalExtended)
            }
            if let second, !isExtended {
                restored += 1
                #expect(second.expiresDate?.rfc3339 == "2024-03-31T10:00:00.000Z")
            }
        }
        #expect(seen > 10 && restored > 3)
    }

    @Test("Sandbox periods are as short as the tester's speed makes them")
    func sandboxSpeed() {
        let lengths: Set<Int64> = Set(
            TruthTests.lives.prefix(600).flatMap { life -> [Int64] in
                guard life.environment == .sandbox, let first = life.deliveries.first?.transaction,
                    first.productId?.rawValue.hasSuffix(".monthly") == true,
                    first.offerType == nil, let from = first.purchaseDate,
                    let to = first.expiresDate
                else { return [] }
                return [to.milliseconds(since: from)]
            })
        #expect(lengths == [300_000, 1_800_000, 3_600_000, 86_400_000])
    }

    @Test("A renewal that an upgrade replaced before it began is paid for, and gives no access")
    func replacedRenewals() {
        var seen = 0
        for life in TruthTests.lives {
            let upgraded = life.deliveries.compactMap(\.transaction).filter {
                $0.isUpgraded == true
            }
            let replaced = Set(
                upgraded.filter { copy in
                    guard let date = copy.revocationDate, let start = copy.purchaseDate else {
                        return false
                    }
                    return date < start
                }.map { Replaced(id: $0.transactionId, at: $0.revocationDate) })
            for renewal in replaced {
                let known = life.deliveries.first { $0.transaction?.transactionId == renewal.id }
                #expect(known?.transaction?.isUpgraded == nil)
                #expect(known?.transaction?.price ?? 0 > 0)
                #expect(
                    !life.truth.contains { $0.transactionId == renewal.id }, "seed \(life.seed)")
                #expect(life.truth.contains { $0.from == renewal.at && $0.state == .renewing })
                let ended = Set(
                    upgraded.filter { $0.revocationDate == renewal.at }.map(\.transactionId))
                #expect(ended.count == 2, "seed \(life.seed)")
            }
            seen += replaced.count
        }
        #expect(seen > 5)
    }

    private struct Replaced: Hashable {
        let id: TransactionId?
        let at: Timestamp?
    }

    private static func bytes(_ life: SubscriberLife) -> [UInt8] {
        life.deliveries.flatMap { delivery -> [UInt8] in
            var bytes = delivery.transaction?.encoded() ?? []
            bytes += delivery.renewal?.encoded() ?? []
            if case .notification(let notification, _, _) = delivery.evidence {
                bytes += notification.encoded()
            }
            return bytes + Array(delivery.receivedAt.rfc3339.utf8)
        }
    }

    private static func isAdjacent(_ truth: [TrueInterval]) -> Bool {
        guard let last = truth.last, last.to == nil else { return false }
        return zip(truth, truth.dropFirst()).allSatisfy { before, after in
            before.from < after.from && before.to == after.from
        }
    }

    @Test("The environment of a life is known without generating it")
    func environments() {
        for life in TruthTests.lives.prefix(60) {
            #expect(Self.world.environment(seed: life.seed) == life.environment)
        }
    }
}
