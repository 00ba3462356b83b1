import AppStore
import Ledger
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

/// The ledger compared with the truth of simulated lives, an independent account of what Apple and
/// the customer did.
struct TruthTests {
    static let livesPerCase = UInt64(Soak.count(80, soak: 300))
    static let lossyLivesPerCase = UInt64(Soak.count(35, soak: 100))
    static let world = SubscriberWorld()
    /// The first lives, made once for the tests that only read them.
    static let lives = (0..<800 as Range<UInt64>).map { world.life(seed: $0) }
    /// The first of them as the ledger reports them.
    static let ledgers: [(life: SubscriberLife, ledger: Lifecycle)] = lives.prefix(200).map {
        ($0, fold($0.deliveries, $0))
    }

    @Test(
        "The ledger reports the truth of every life, whatever the order and repetition of evidence",
        arguments: 0..<10 as Range<UInt64>)
    func wildOrders(block: UInt64) {
        for seed in block * Self.livesPerCase..<(block + 1) * Self.livesPerCase {
            let life = Self.world.life(seed: seed)
            var adversity = Adversity(seed: seed)
            let ledger = Self.fold(adversity.wild(life.deliveries), life)
            let reported = ledger.intervals.map(ReportedState.init)
            let truth = life.truth.map(ReportedState.init)
            guard reported == truth else {
                Issue.record("seed \(seed):\(ReportedState.difference(reported, truth))")
                continue
            }
            for moment in life.moments { Self.check(moment, ledger, seed) }
        }
    }

    @Test(
        "Lost evidence changes the ledger only as the rules determine",
        arguments: 0..<10 as Range<UInt64>)
    func losses(block: UInt64) {
        for seed in block * Self.lossyLivesPerCase..<(block + 1) * Self.lossyLivesPerCase {
            let life = Self.world.life(seed: seed)
            for loss in life.losses {
                let rest = life.deliveries.filter { !loss.dropped.contains($0.ordinal) }
                let ledger = Self.fold(rest, life)
                let reported = ledger.intervals.map(ReportedState.init)
                let truth = loss.truth.map(ReportedState.init)
                if reported != truth {
                    Issue.record(
                        "seed \(seed), \(loss.kind):\(ReportedState.difference(reported, truth))")
                }
            }
        }
    }

    static func fold(
        _ deliveries: [Delivery], _ life: SubscriberLife, catalogue: Catalogue = .simulated
    ) -> Lifecycle {
        let facts = deliveries.enumerated().map { index, delivery in
            fact(delivery, seed: life.seed, position: Int64(index + 1))
        }
        return Lifecycle(facts, environment: life.environment, catalogue: catalogue)
    }

    /// One digest per piece of evidence replaces that of its bytes: repetitions share it, and its
    /// order is effectively random.
    static func fact(_ delivery: Delivery, seed: UInt64, position: Int64) -> Fact {
        var random = SeededGenerator(seed: seed ^ UInt64(delivery.ordinal) << 32)
        let origin = FactOrigin(
            position: position, receivedAt: delivery.receivedAt, trust: .signed,
            digest: Digest(words: (random.next(), random.next(), random.next(), random.next())))
        switch delivery.evidence {
        case .notification(let notification, let transaction, let renewal):
            return Fact(
                notification: notification, transaction: transaction, renewal: renewal,
                origin: origin)
        case .transaction(let transaction):
            return Fact(transaction: transaction, origin: origin)
        case .pair(let transaction, let renewal, let status):
            return Fact(pair: transaction, renewal: renewal, status: status, origin: origin)
        }
    }

    static func check(_ moment: TrueMoment, _ ledger: Lifecycle, _ seed: UInt64) {
        let endOfTime = Timestamp(milliseconds: .max)
        guard let answer = ledger.answer(at: moment.at, now: endOfTime) else {
            Issue.record("seed \(seed): no answer at \(moment.at.rfc3339)")
            return
        }
        if !moment.equals(answer) { Issue.record("seed \(seed): \(answer) is not \(moment)") }
    }
}

/// An interval in terms that both sides share.
private struct ReportedState: Equatable, CustomStringConvertible {
    let state: String
    let from: Timestamp
    let to: Timestamp?
    let productId: String?
    let transactionId: String
    let reason: String?

    init(_ interval: Interval) {
        state = interval.state.rawValue
        from = interval.from
        to = interval.to
        productId = interval.productId?.rawValue
        transactionId = interval.transactionId.rawValue
        reason = interval.reason?.rawValue
    }

    init(_ interval: TrueInterval) {
        state = interval.state.rawValue
        from = interval.from
        to = interval.to
        productId = interval.productId.rawValue
        transactionId = interval.transactionId.rawValue
        reason = interval.reason?.rawValue
    }

    var description: String {
        let until = to?.rfc3339 ?? "open"
        return "\(state) \(from.rfc3339) \(until) \(transactionId) \(reason ?? "-")"
    }

    static func difference(_ reported: [ReportedState], _ truth: [ReportedState]) -> String {
        func list(_ intervals: [ReportedState]) -> String {
            intervals.map { "\n    \($0)" }.joined()
        }
        return "\n  reported\(list(reported))\n  truth\(list(truth))"
    }
}
