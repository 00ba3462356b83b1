import AppStore
import Ledger
import Signing

@testable import Projection
@testable import Reports
@testable import SQLiteStore

/// Facts with the most extreme numbers and dates of a payload: decoded, folded, queried at every
/// edge, counted by every metric and exported as warehouse lines. Nothing overflows, and nothing
/// depends on the order of arrival.
///
/// One byte selects what a fact states and by which notification; one byte per number selects it
/// from `values`. Facts follow each other.
struct ExtremeFactsTarget: FuzzTarget {
    let name = "extremeFacts"
    let maximumByteCount = ExtremeFactsTarget.factByteCount * ExtremeFactsTarget.maximumFactCount
    private static let maximumFactCount = 6
    private static let factByteCount = 1 + PayloadNumbers.count

    private static let chain = ChainId(
        bundleId: BundleId("com.example.app"),
        originalTransactionId: OriginalTransactionId("1000"))

    // MARK: Inputs

    /// Each number alone at each extreme, then all of them together, for one fact and for several.
    func seeds(_ source: SeedSource) -> [[UInt8]] {
        let plain = [UInt8](repeating: 0, count: PayloadNumbers.count)
        let ends = PayloadNumbers.ends.indices.map { UInt8($0 + 1) }
        var seeds: [[UInt8]] = []
        for number in plain.indices {
            // A different form for each number, so that every form meets most numbers.
            let form = UInt8(number * 7 % 256)
            for end in ends.prefix(4) {
                var numbers = plain
                numbers[number] = end
                seeds.append([form] + numbers + [form &+ 40] + plain)
            }
        }
        for end in ends {
            let whole = [UInt8](repeating: end, count: PayloadNumbers.count)
            for form in stride(from: UInt8(0), to: 200, by: 40) {
                seeds.append([form] + whole + [form + 7] + plain + [form + 14] + whole)
            }
        }
        return seeds
    }

    // MARK: Guarantees

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let facts = ExtremeFactsTarget.facts(bytes)
        guard !facts.isEmpty else { return }
        for fact in facts { check(codec: fact) }
        for catalogue in [Catalogue(), ExtremeFactsTarget.catalogue] {
            let life = Lifecycle(facts, environment: .production, catalogue: catalogue)
            let turned = Lifecycle(
                facts.reversed(), environment: .production, catalogue: catalogue)
            require(life.intervals == turned.intervals, "intervals ignore the order of arrival")
            for (left, right) in zip(life.intervals, life.intervals.dropFirst()) {
                require(left.to == right.from, "intervals are adjacent")
            }
            check(answersOf: life, turned)
            check(metricsOf: life, catalogue)
            check(linesOf: life, catalogue)
        }
        check(deliveries: facts)
    }

    /// A catalogue with the product and the longest possible period and duration.
    private static let catalogue = Catalogue(
        products: [
            ProductId("product"): Catalogue.Product(
                entitlements: ["all"], group: "group", level: 1,
                period: ISO8601Period("P999999Y999999M"),
                duration: ISO8601Period("P999999Y999999M999999W999999DT999999H"))
        ], leewayMilliseconds: .max)

    private static func facts(_ bytes: UnsafeBufferPointer<UInt8>) -> [Fact] {
        var facts: [Fact] = []
        var start = 0
        while start + factByteCount <= bytes.count, facts.count < maximumFactCount {
            let part = UnsafeBufferPointer(rebasing: bytes[start..<(start + factByteCount)])
            start += factByteCount
            facts.append(
                fact(
                    form: part[0], PayloadNumbers(part.dropFirst()), Int64(facts.count + 1),
                    digest: SHA256.hash(UnsafeBufferPointer(rebasing: bytes[..<start]))))
        }
        return facts
    }

    private static func fact(
        form: UInt8, _ numbers: PayloadNumbers, _ position: Int64, digest: Digest
    ) -> Fact {
        let origin = FactOrigin(
            position: position, receivedAt: numbers.receivedAt.clamped, trust: .signed,
            digest: digest)
        let transaction = decoded(
            TransactionPayload.self, numbers.transaction(id: 1_000 + position % 3, form: form))
        let renewal = decoded(RenewalPayload.self, numbers.renewal)
        switch form % 3 {
        case 0: return Fact(transaction: transaction, origin: origin)
        case 1:
            return Fact(
                pair: transaction, renewal: renewal, status: Raw(rawValue: numbers.status),
                origin: origin)
        default:
            return Fact(
                notification: decoded(
                    NotificationPayload.self, numbers.notification(form: form)),
                transaction: transaction, renewal: renewal, origin: origin)
        }
    }

    /// The intake may refuse a payload for its numbers only; once in a log, it is readable.
    private static func decoded<Payload: WireObject>(
        _ type: Payload.Type, _ json: [UInt8]
    ) -> Payload {
        do throws(JSONError) {
            _ = try Payload.decode(json)
        } catch {
            require(error.code == .numberOutOfRange, "a payload is refused as \(error)")
        }
        guard let payload = try? Payload.decode(json, clampsDates: true) else {
            fatalError("violated: a stored payload is readable")
        }
        return payload
    }

    // MARK: Checks

    private func check(codec fact: Fact) {
        let signedAt = fact.signedDate?.milliseconds ?? 0
        let encoded = FactCodec.encode(fact)
        let again = encoded.withUnsafeBytes {
            try? FactCodec.decode(
                $0, position: fact.position, signedAt: signedAt, recent: StringInterner())
        }
        require(again == fact, "a fact round-trips through storage")
    }

    private func check(answersOf life: Lifecycle, _ turned: Lifecycle) {
        let edges = life.intervals.flatMap { [$0.from, $0.to].compactMap(\.self) }
        let ends = [Timestamp.earliest.milliseconds, Timestamp.latest.milliseconds, .min, 0, .max]
        for at in edges + ends.map({ Timestamp(milliseconds: $0) }) {
            require(
                life.answer(at: at, now: at) == turned.answer(at: at, now: at),
                "answers ignore the order of arrival")
        }
        require(life.timeline == turned.timeline, "timelines ignore the order of arrival")
    }

    private func check(metricsOf life: Lifecycle, _ catalogue: Catalogue) {
        let app = ExtremeFactsTarget.chain.bundleId
        let metrics = ChainMetrics(life, of: app, catalogue: catalogue)
        let instants = [Int64.min, 0, 1_700_000_000_000, .max].map { Timestamp(milliseconds: $0) }
        for measure in [RollForwardQuery.Measure.chains, .paidChains, .money] {
            let question = RollForwardQuery(measure, instants: instants)
            var sum = RollForward(question)
            for _ in 0..<3 { sum.add(metrics) }
            for row in sum.rows() where !sum.isTooLarge {
                require(row.residue == 0, "a row of a roll-forward balances")
                _ = RecurringMoney(.mrrMovement).amounts(row)
            }
            _ =
                SubscriberMoney(spans: MoneySpan.all(of: metrics, question), isAdopted: false)
                .changes
        }
        for metric in CountedMetric.allCases {
            let found = life.occurrences(
                of: metric, in: app, catalogue: catalogue, limit: Timestamp(milliseconds: .max),
                instants: instants)
            var table = CountTable(metric, instants: instants)
            for _ in 0..<3 { table.add(found) }
            _ = table.rows()
            require(!table.isTooLarge, "a report can hold three chains")
            guard metric == .revenue else { continue }
            var lifetime = LifetimeTable(
                instants: instants, dimensions: [], filters: [:],
                limit: Timestamp(milliseconds: .max))
            let chain = ExtremeFactsTarget.chain
            lifetime.add(
                CustomerIncome(
                    chain: chain, customer: .chain(chain), revenue: found, isAdopted: false))
            require((try? lifetime.rows()) != nil, "a report can hold one chain")
        }
    }

    private static let zones = ["UTC", "America/New_York", "Pacific/Kiritimati"]
        .compactMap { ReportZone($0) }

    private func check(linesOf life: Lifecycle, _ catalogue: Catalogue) {
        guard !life.isEmpty else { return }
        for zone in ExtremeFactsTarget.zones {
            let reading = WarehouseReading(
                life: life, chain: ExtremeFactsTarget.chain, catalogue: catalogue, zone: zone)
            for subject in WarehouseSubject.allCases { _ = reading.stated(subject) }
        }
    }

    private func check(deliveries facts: [Fact]) {
        var table = LatenessTable(
            instants: [.earliest, .latest], isByApp: false, apps: nil)
        for fact in facts { table.add(fact, of: ExtremeFactsTarget.chain.bundleId) }
        _ = table.rows(table.outages(limit: .latest))
    }
}
