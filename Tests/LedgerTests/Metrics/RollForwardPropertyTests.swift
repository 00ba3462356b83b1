import AppStore
import Ledger
import TestSupport
import Testing

/// Properties of every roll-forward, over random lives.
@Suite("Identities of roll-forwards over random lives")
struct RollForwardPropertyTests {
    /// The lives and the instants of the tests, created once.
    private static let chains: [ChainMetrics] = (1...120).map { (seed: UInt64) in
        let facts = RandomLife.facts(
            seed: seed, count: 1 + Int(seed % 40), isHostile: seed.isMultiple(of: 3))
        return Lifecycle(facts, environment: .production, catalogue: Catalogue()).metrics()
    }

    private static let instants: [Timestamp] = Set(
        [Timestamp(milliseconds: .min), day(20, 1), Timestamp(milliseconds: .max)]
            + (-2...60).map { day(Int64($0) * 5) }
    ).sorted()

    private static let groupings: [[Dimension]] =
        [[]] + Dimension.allCases.map { [$0] } + [[.product, .reason], [.phase, .product, .app]]

    private static func sum(
        _ measure: RollForwardQuery.Measure, _ dimensions: [Dimension],
        _ filters: [Dimension: Set<String?>] = [:], _ chains: [ChainMetrics] = Self.chains
    ) -> [RollForwardRow] {
        var sum = RollForward(
            RollForwardQuery(
                measure, instants: instants, dimensions: dimensions, filters: filters))
        for chain in chains { sum.add(chain) }
        return sum.rows()
    }

    @Test(
        "The residue is 0 in every interval and every group, of every measure and filter",
        arguments: groupings)
    func residue(_ dimensions: [Dimension]) {
        let filters: [[Dimension: Set<String?>]] = [
            [:], [.product: ["a"]], [.product: [nil, "b"]], [.phase: ["standard"]],
            [.reason: ["voluntary", "refund"]], [.reason: [nil]],
        ]
        var rows = 0
        for measure in RollForwardQuery.Measure.allCases {
            for filter in filters {
                for row in Self.sum(measure, dimensions, filter) {
                    #expect(row.residue == 0, "\(measure) \(row)")
                    #expect(row.columns.values.allSatisfy { $0 > 0 })
                    #expect(row.activeStart >= 0 && row.activeEnd >= 0)
                    rows += 1
                }
            }
        }
        #expect(rows > 0)
    }

    @Test("What is counted under each event adds up to the columns")
    func counted() {
        let rows = Self.sum(.chains, [])
        var found: [Timestamp: [RollForwardColumn: Int64]] = [:]
        for chain in Self.chains {
            for cause in Set(chain.stretches.map(\.cause)) {
                for change in chain.counted(by: cause, before: Timestamp(milliseconds: .max)) {
                    guard case .counted(let column) = change.kind,
                        let row = rows.last(where: { $0.from <= change.at })
                    else {
                        Issue.record("\(change)")
                        continue
                    }
                    found[row.from, default: [:]][column, default: 0] += 1
                    #expect(!chain.counted(by: cause, before: change.at).contains(change))
                }
            }
        }
        for row in rows { #expect(found[row.from] ?? [:] == row.columns, "\(row)") }
    }

    @Test(
        "At most as many rows as asked for are the first of all",
        arguments: [[], [.product]] as [[Dimension]])
    func first(_ dimensions: [Dimension]) {
        let question = RollForwardQuery(.chains, instants: Self.instants, dimensions: dimensions)
        for chains in [[], Self.chains] {
            var sum = RollForward(question)
            for chain in chains { sum.add(chain) }
            let all = sum.rows()
            for count in [1, 7, max(1, all.count), all.count + 1] {
                #expect(sum.rows(atMost: count) == Array(all.prefix(count)))
            }
        }
    }

    @Test("A row does not depend on other instants")
    func independent() {
        let all = Self.sum(.chains, [.product])
        for (from, to) in zip(Self.instants, Self.instants.dropFirst()) {
            var alone = RollForward(
                RollForwardQuery(.chains, instants: [from, to], dimensions: [.product]))
            for chain in Self.chains { alone.add(chain) }
            #expect(alone.rows() == all.filter { $0.from == from })
        }
    }

    @Test("Neither the order of chains nor their partition matters")
    func anyOrder() {
        let question = RollForwardQuery(
            .money, instants: Self.instants, dimensions: [.product, .reason])
        var whole = RollForward(question)
        for chain in Self.chains { whole.add(chain) }
        var numbers = SeededNumbers(seed: 7)
        var parts = Array(repeating: RollForward(question), count: 3)
        for chain in Self.chains.shuffled(using: &numbers) { parts[numbers.below(3)].add(chain) }
        var joined = parts[2]
        joined.add(parts[0])
        joined.add(parts[1])
        #expect(joined.rows() == whole.rows())
    }

    private struct Place: Hashable {
        var from: Timestamp
        var group: [String?]
        var figure: RollForwardFigure
    }

    /// The figures other than 0.
    private static func figures(_ rows: [RollForwardRow]) -> [Place: Int64] {
        var figures: [Place: Int64] = [:]
        for row in rows {
            func note(_ figure: RollForwardFigure, _ amount: Int64) {
                if amount != 0 {
                    figures[Place(from: row.from, group: row.group, figure: figure)] = amount
                }
            }
            note(.activeStart, row.activeStart)
            note(.activeEnd, row.activeEnd)
            note(.unpricedEnd, row.unpricedEnd)
            for (column, amount) in row.columns { note(.column(column), amount) }
        }
        return figures
    }

    @Test(
        "What one sum has more than another one is the difference of their rows",
        arguments: groupings)
    func beyond(_ dimensions: [Dimension]) {
        let filters: [[Dimension: Set<String?>]] = [[:], [.reason: ["voluntary", "refund"]]]
        for measure in RollForwardQuery.Measure.allCases {
            for filter in filters {
                let question = RollForwardQuery(
                    measure, instants: Self.instants, dimensions: dimensions, filters: filter)
                let sums = Self.chains[100..<108].map { chain in
                    var sum = RollForward(question)
                    sum.add(chain)
                    return sum
                }
                for (one, two) in zip(sums, sums.dropFirst()) {
                    var expected = Self.figures(one.rows())
                    for (place, amount) in Self.figures(two.rows()) {
                        expected[place, default: 0] -= amount
                    }
                    let found = one.difference(from: two)
                    #expect(Self.figures(found) == expected.filter { $0.value != 0 })
                    #expect(found.allSatisfy { !$0.isEmpty })
                    #expect(one.difference(from: one).isEmpty)
                }
            }
        }
    }

    @Test("Stretches are adjacent")
    func stretches() {
        for chain in Self.chains {
            #expect(chain.stretches.dropLast().map(\.to) == chain.stretches.dropFirst().map(\.from))
        }
    }
}
