import AppStore
import Ledger
import LedgerTestSupport
import Testing

@testable import Reports

@Suite("Sums of compared definitions at their bound")
struct RuledSumsTests {
    private let cell = RuledSums.Cell(interval: 0, currency: "USD", figure: "annualised")

    private var empty: RuledSums {
        RuledSums(
            [.pastDueIncluded], [.annualised("annualised")],
            RollForwardQuery(
                .money, instants: [Timestamp(milliseconds: 0), Timestamp(milliseconds: 1)]))
    }

    @Test("One past the maximum is reported, without a trap or a wrong number")
    func bound() {
        var sums = empty
        sums.add(ours: RollForward.largestAmount, in: cell)
        #expect(!sums.isTooLarge)
        #expect(sums.rows.map(\.ours) == [RollForward.largestAmount])
        sums.add(ours: 1, in: cell)
        #expect(sums.isTooLarge)
        sums.add(ours: .max, in: cell)
        #expect(sums.isTooLarge)
    }

    @Test("Differences by rules are bounded in both directions, also after joining parts")
    func moved() {
        for sign in [1, -1] as [Int64] {
            var (one, two) = (empty, empty)
            one.add(sign * RollForward.largestAmount, by: .pastDueIncluded, in: cell)
            two.add(sign, by: .pastDueIncluded, in: cell)
            #expect(!one.isTooLarge && !two.isTooLarge)
            one.add(two)
            #expect(one.isTooLarge)
        }
        var whole = empty
        var part = empty
        part.add(ours: .max, in: cell)
        whole.add(part)
        #expect(whole.isTooLarge)
    }
}
