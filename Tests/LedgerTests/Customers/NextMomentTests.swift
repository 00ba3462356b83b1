import AppStore
import Ledger
import TestSupport
import Testing

@Suite("When the clock alone changes entitlements")
struct NextMomentTests {
    private static let catalogue = Catalogue(
        products: [ProductId("pro"): Catalogue.Product(entitlements: ["a", "b"])])

    /// None, some that begin later, end before they begin, or touch.
    private func grants(_ numbers: inout SeededNumbers) -> [Grant] {
        let facts = (0..<numbers.below(3)).flatMap { number in
            let start = day(Int64(numbers.below(90)), Int64(numbers.below(3)))
            let end = start.advanced(byMilliseconds: Int64(numbers.below(40)) * 86_400_000 + 1)
            let grant = Fact.grant("gold", until: end, at: start, id: "g\(number)")
            guard numbers.chance(30) else { return [grant] }
            return [grant, .ungrant("g\(number)", at: day(Int64(numbers.below(120))))]
        }
        return Grant.grants(numbered(facts))
    }

    @Test(
        "The answer is constant until the next moment; each change has a next moment",
        arguments: 1...30 as ClosedRange<UInt64>)
    func nothingBefore(_ seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let plain = PlainCustomers(
            (0..<2).map { _ in numbered(RandomCommands.facts(&numbers)) },
            NextMomentTests.catalogue)
        let grants = grants(&numbers)
        let edges = grants.flatMap { [$0.from, $0.end] }
            .flatMap { [$0.advanced(byMilliseconds: -1), $0] }
        let moments = Set(plain.moments + edges).sorted()
        var quietCount = 0
        for customer in RandomCommands.customers {
            let holdings = plain.lives.enumerated().map { index, entry in
                entry.life.holding(
                    of: CustomerId(customer),
                    chain: ChainId(
                        bundleId: BundleId("app"),
                        originalTransactionId: OriginalTransactionId("\(index)")),
                    limit: numbers.chance(50) ? nil : Holding.shortStretchCount)
            }
            func answer(_ time: Timestamp) -> Entitlements {
                Entitlements(
                    at: time, holdings: holdings, grants: grants, catalogue: plain.catalogue)
            }
            for (index, moment) in moments.enumerated() {
                let next = Entitlements.nextMoment(
                    after: moment, holdings: holdings, grants: grants, catalogue: plain.catalogue)
                if let next {
                    #expect(next > moment)
                    let last = next.advanced(byMilliseconds: -1)
                    #expect(answer(last) == answer(moment), "\(customer) \(moment) \(next)")
                }
                guard index + 1 < moments.count else { continue }
                let following = moments[index + 1]
                if next.map({ following < $0 }) ?? true {
                    quietCount += 1
                    #expect(answer(following) == answer(moment), "\(customer) \(following)")
                }
            }
        }
        // Useless if there never is a quiet stretch.
        #expect(quietCount > 0)
    }

    @Test("Leeway begins and ends by the clock")
    func leeway() throws {
        let life = Lifecycle(
            numbered([Fact.subscribed("1", day(0), day(30)).token("a")]), environment: .production,
            catalogue: Catalogue())
        let holding = life.holding(
            of: CustomerId("a"),
            chain: ChainId(
                bundleId: BundleId("app"), originalTransactionId: OriginalTransactionId("1")))
        var overdue = holding
        overdue.overdue = Holding.Overdue(from: day(30), evidence: [1])
        func next(_ time: Timestamp, _ holding: Holding) -> Timestamp? {
            Entitlements.nextMoment(
                after: time, holdings: [holding], grants: [], catalogue: Catalogue())
        }
        #expect(next(day(-1), overdue) == day(0))
        #expect(next(day(0), overdue) == day(30))
        let end = day(30).advanced(byMilliseconds: Catalogue().leewayMilliseconds)
        #expect(next(day(30), overdue) == end)
        #expect(next(end, overdue) == nil)
        #expect(
            next(
                day(0),
                Holding(
                    originalTransactionId: OriginalTransactionId("1"), stretches: [],
                    completeFrom: day(0), overdue: nil, meetsMinimumTrust: true)) == nil)
    }
}
