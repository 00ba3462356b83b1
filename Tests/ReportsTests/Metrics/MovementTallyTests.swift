import AppStore
import Testing

@testable import Ledger
@testable import Reports
@testable import SQLiteStore

/// Counting movements between classes equals counting the chains themselves.
@Suite("Counting movements")
struct MovementTallyTests {
    private static let day: Int64 = 86_400_000
    private static let begin: Int64 = 1_767_225_600_000

    private static func time(_ day: Int64) -> Timestamp {
        Timestamp(milliseconds: begin + day * MovementTallyTests.day)
    }

    private static func values(
        _ product: String, phase: ChainAnswer.Phase = .standard
    ) -> DimensionValues {
        DimensionValues(
            app: BundleId("a"), product: ProductId(product), currency: "EUR", phase: phase)
    }

    private static func stretch(
        _ days: Range<Int64>, _ annualised: Int64?, _ product: String = "p",
        phase: ChainAnswer.Phase = .standard, entry: Gain? = nil
    ) -> CountedStretch {
        CountedStretch(
            from: time(days.lowerBound), to: time(days.upperBound), state: .subscribed,
            values: values(product, phase: phase), entry: entry, reason: nil, period: nil,
            annualised: annualised, cause: 1)
    }

    private static func ended(_ day: Int64, _ reason: EndReason) -> CountedStretch {
        CountedStretch(
            from: time(day), to: nil, state: .expired, values: values("p"), entry: nil,
            reason: reason, period: nil, annualised: nil, cause: 1)
    }

    private static func chain(_ stretches: [CountedStretch]) -> ChainMetrics {
        let life = Lifecycle([], environment: .production, catalogue: Catalogue())
        var metrics = ChainMetrics(life, of: BundleId("a"), catalogue: Catalogue())
        metrics.stretches = stretches
        return metrics
    }

    /// On the fifth day the prices of one product rise and fall, one chain's becomes known and
    /// another's unknown, a trial turns paid, and a chain changes its product.
    private static let chains = [
        chain([stretch(1..<5, 100, entry: .new), stretch(5..<40, 250), ended(40, .billing)]),
        chain([stretch(1..<5, 250, entry: .appeared), stretch(5..<9, 100), ended(9, .refund)]),
        chain([stretch(2..<5, nil, entry: .new), stretch(5..<70, 100)]),
        chain([stretch(2..<5, 100, entry: .new), stretch(5..<70, nil)]),
        chain([
            stretch(2..<5, 0, phase: .trial, entry: .new), stretch(5..<40, 100),
            stretch(40..<41, 0, phase: .trial), ended(41, .voluntary),
        ]),
        chain([stretch(2..<5, 100, entry: .new), stretch(5..<70, 100, "q")]),
    ]

    private static let questions = RollForwardQuery.Measure.allCases.flatMap { measure in
        [[], [.product], [.phase], [.reason], [.product, .reason]].flatMap { dimensions in
            [[:], [Dimension.product: ["p"]], [.phase: ["standard"]]].map { filters in
                RollForwardQuery(
                    measure, instants: [0, 5, 6, 31, 59].map { time($0) },
                    dimensions: dimensions, filters: filters)
            }
        }
    }

    /// The movements of chains, packed as in a file.
    private static func packed(_ chains: [ChainMetrics]) -> (ClassTable, [StoredMovement]) {
        var (table, movements) = (ClassTable(), [StoredMovement]())
        for chain in chains {
            var reported = ChainMovements()
            for (at, movement) in chain.classMovements {
                reported.append(at: at.milliseconds, movement, ClassNumbers())
            }
            for named in reported.classes where table[named.number] == nil {
                table.append(named.counted, number: named.number)
            }
            movements += reported.movements
        }
        return (table, movements)
    }

    private static func tally(
        _ question: RollForwardQuery, _ chains: [ChainMetrics], count: Int64 = 1
    ) throws -> RollForward {
        let (table, movements) = packed(chains)
        var tally = MovementTally(question, classes: table)
        for movement in movements {
            let instant = tally.instant(after: Timestamp(milliseconds: movement.at))
            let isNamed = tally.add(SummedMovement(movement), before: instant, chains: count)
            try #require(isNamed)
        }
        tally.addCounts()
        return tally.rollForward
    }

    @Test(
        "The same movements give the same result when counted in parts and in another order",
        arguments: questions)
    func joined(_ question: RollForwardQuery) throws {
        let (table, movements) = MovementTallyTests.packed(MovementTallyTests.chains)
        let empty = MovementTally(question, classes: table)
        var parts = [empty, empty, empty]
        for (index, movement) in movements.reversed().enumerated() {
            let instant = empty.instant(after: Timestamp(milliseconds: movement.at))
            let isNamed = parts[index % 2].add(
                SummedMovement(movement), before: instant, chains: 1)
            try #require(isNamed)
        }
        var whole = parts[2]
        whole.add(parts[0])
        whole.add(parts[1])
        whole.addCounts()
        let expected = try MovementTallyTests.tally(question, MovementTallyTests.chains)
        #expect(whole.rollForward.rows() == expected.rows())
        #expect(whole.rollForward.activeStarts == expected.activeStarts)
    }

    @Test(
        "Prices that rise, fall, become known or unknown on one day, trials, other products",
        arguments: questions)
    func same(_ question: RollForwardQuery) throws {
        var expected = RollForward(question)
        for chain in MovementTallyTests.chains { expected.add(chain) }
        let found = try MovementTallyTests.tally(question, MovementTallyTests.chains)
        #expect(found.rows() == expected.rows())
        #expect(found.rows().allSatisfy { $0.residue == 0 } && !found.isTooLarge)
    }

    @Test("Increases and decreases are separate, and prices that become known are increases")
    func changes() throws {
        let question = RollForwardQuery(
            .money, instants: [0, 5, 6].map { MovementTallyTests.time($0) })
        let row = try #require(
            try MovementTallyTests.tally(question, MovementTallyTests.chains).rows().last)
        #expect(row[.expansion] == 150 + 100 && row[.contraction] == 150 + 100)
        #expect(row[.converted] == 100 && row.activeStart == 100 + 250 + 100 + 100)
        #expect(row.activeEnd == 250 + 100 + 100 + 100 + 100 && row.unpricedEnd == 1)
    }

    @Test("Sums up to the bound are reported; one more is rejected, without a trap")
    func bound() throws {
        let question = RollForwardQuery(
            .money, instants: [0, 9].map { MovementTallyTests.time($0) })
        let largest = RollForward.largestAmount
        func sum(_ amounts: [Int64], count: Int64 = 1) throws -> RollForward {
            try MovementTallyTests.tally(
                question,
                amounts.map {
                    MovementTallyTests.chain([
                        MovementTallyTests.stretch(1..<20, $0, entry: .new)
                    ])
                }, count: count)
        }
        let whole = try sum([largest - 1, 1])
        #expect(!whole.isTooLarge && whole.rows().map(\.activeEnd) == [largest])
        #expect(try sum([largest, 1]).isTooLarge)
        #expect(try sum([largest], count: 2).isTooLarge)
        #expect(try sum([.max], count: .max).isTooLarge)
        var joined = whole
        joined.add(whole)
        #expect(joined.isTooLarge)
        var chains = RollForward(question)
        for amount in [largest, largest] {
            chains.add(
                MovementTallyTests.chain([
                    MovementTallyTests.stretch(1..<20, amount, entry: .new)
                ]))
        }
        #expect(chains.isTooLarge)
    }

    @Test("Amounts within the bound on each day, but beyond it together, are rejected")
    func active() throws {
        let question = RollForwardQuery(
            .money, instants: [0, 2, 9].map { MovementTallyTests.time($0) })
        let chains = [1, 3].map { day in
            MovementTallyTests.chain([
                MovementTallyTests.stretch(day..<20, RollForward.largestAmount, entry: .new)
            ])
        }
        #expect(try !MovementTallyTests.tally(question, [chains[0]]).isTooLarge)
        #expect(try MovementTallyTests.tally(question, chains).isTooLarge)
    }

    @Test("A movement of a class that is not stored is reported and not counted")
    func unnamed() {
        let question = RollForwardQuery(
            .chains, instants: [0, 9].map { MovementTallyTests.time($0) })
        var tally = MovementTally(question)
        let isNamed = tally.add(
            SummedMovement(before: 0, after: 5, label: 1), before: 1, chains: 1)
        #expect(!isNamed)
        tally.addCounts()
        #expect(tally.rollForward.rows().allSatisfy { $0.activeEnd == 0 })
    }
}
