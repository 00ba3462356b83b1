import AppStore
import Testing

@testable import Console
@testable import Ledger
@testable import Reports
@testable import subledger

@Suite("Sums beyond what a report can hold")
struct ReportSumTests {
    private static let app = BundleId("com.example.app")
    private static let bound = RollForward.largestAmount
    private static let instants = [0, 1_000].map { Timestamp(milliseconds: $0) }

    private func revenue(_ column: String, _ amount: Int64) -> Occurrence {
        var values = DimensionValues(app: Self.app)
        values.currency = "USD"
        return Occurrence(
            at: Timestamp(milliseconds: 1), values: values, amounts: [column: amount], cause: 1)
    }

    @Test("The largest sum is reported, one more is too large, and so is an overflowing sum")
    func counted() {
        for (amounts, isTooLarge) in [
            ([Self.bound], false), ([Self.bound - 1, 1], false), ([Self.bound, 1], true),
            ([.max, .max], true), ([.max, .max, .max], true),
        ] {
            var one = CountTable(.revenue, instants: Self.instants)
            var parts = CountTable(.revenue, instants: Self.instants)
            for amount in amounts {
                one.add([revenue("gross", amount)])
                var part = CountTable(.revenue, instants: Self.instants)
                part.add([revenue("gross", amount)])
                parts.add(part)
            }
            #expect(one.isTooLarge == isTooLarge)
            #expect(parts.isTooLarge == isTooLarge)
            #expect(isTooLarge || one.rows().first?["gross"] == Self.bound)
        }
    }

    @Test("Payments of customers have the same bound, after subtracting refunds")
    func lifetime() throws {
        func rows(_ amounts: [(String, Int64)]) throws(MetricsError) -> [Report.Row] {
            var table = LifetimeTable(
                instants: Self.instants, dimensions: [], filters: [:],
                limit: Timestamp(milliseconds: 1_000))
            for (index, amount) in amounts.enumerated() {
                let chain = ChainId(
                    bundleId: Self.app,
                    originalTransactionId: OriginalTransactionId("\(index)"))
                table.add(
                    CustomerIncome(
                        chain: chain, customer: .chain(chain),
                        revenue: [revenue("gross", 1), revenue(amount.0, amount.1)],
                        isAdopted: false))
            }
            return try table.rows()
        }
        #expect(try rows([("gross", Self.bound - 1)]).first?.amounts["net"] == Self.bound)
        #expect(throws: MetricsError.amountTooLarge) { try rows([("gross", Self.bound)]) }
        #expect(throws: MetricsError.amountTooLarge) {
            try rows([("gross", .max), ("gross", .max)])
        }
        let taken = try rows([("gross", .max), ("refunded", .max)])
        #expect(taken.first?.amounts["net"] == 2)
    }

    @Test("The rate of a tiny base is a number")
    func rates() {
        #expect(Report.percent(Double(Self.bound)) == "100000000000000.0 %")
        #expect(!ReportChart.number(Double(Self.bound) * 100).isEmpty)
        #expect(Int64.min.addingSaturated(-1) == -.max)
        #expect(Int64.max.addingSaturated(1) == .max)
        #expect(Int64.min.addingSaturated(0) == -.max)
    }
}
