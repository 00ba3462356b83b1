import AppStore
import Ledger
internal import Projection

/// Payments of customers since their first purchase, less refunds, by the interval of that purchase
/// and by age. A chain without a holder counts as a customer of its own.
struct LifetimeTable: Summable {
    private let question: RollForwardQuery
    /// Applies to payments; the other filters apply to the first purchase. Nil: all.
    private let currencies: Set<String?>?
    private let limit: Timestamp
    private var accounts: [Customer: Account] = [:]

    /// The owner of payments.
    enum Customer: Hashable, Sendable {
        case known(BundleId, CustomerId)
        case chain(ChainId)
    }

    /// The first purchase of a customer.
    struct First {
        var purchase: Occurrence
        var chain: ChainId
        /// Of a chain whose beginning is unknown: the customer may have paid before.
        var isAdopted: Bool
    }

    private struct Account {
        /// The first purchase with a price, or with none stated; nil before any is known.
        var first: First?
        var payments: [Payment] = []
    }

    private struct Payment {
        var at: Timestamp
        var currency: String?
        /// Milliunits; refunds are negative.
        var amount: Int64
        /// Purchases whose price is not stated.
        var unpricedCount: Int64

        /// Nil for an occurrence without amount.
        init?(_ found: Occurrence) {
            at = found.at
            currency = found.values.currency
            amount =
                (found.amounts["gross"] ?? 0) - (found.amounts["refunded"] ?? 0)
                + (found.amounts["reversed"] ?? 0)
            unpricedCount = found.amounts["unpriced"] ?? 0
            guard amount != 0 || unpricedCount > 0 else { return nil }
        }
    }

    /// Ages of the sums: exact days of 24 hours since the first purchase.
    static let ages: [Int64] = [7, 30, 60, 90, 180, 365, 730]

    static let columns: [CountColumn] =
        [.count("customers"), .money("net")]
        + ages.flatMap { age in
            [
                CountColumn.count("age.\(age).customers"), CountColumn.money("age.\(age).net"),
                CountColumn.money("age.\(age).perCustomer"),
            ]
        }
        + [.count("unpriced")]

    /// Whether a column is the average of the customers of an age, absent where there are none.
    static func isAverage(_ column: String) -> Bool { column.hasSuffix(".perCustomer") }

    /// The age of a column, e.g. `age.30` for `age.30.net`; nil for columns without one.
    static func ageName(_ column: String) -> String? {
        ages.map { "age.\($0)" }.first { column.hasPrefix("\($0).") }
    }

    init(
        instants: [Timestamp], dimensions: [Dimension], filters: [Dimension: Set<String?>],
        limit: Timestamp
    ) {
        var others = filters
        currencies = others.removeValue(forKey: .currency)
        question = RollForwardQuery(
            .money, instants: instants, dimensions: dimensions, filters: others)
        self.limit = limit
    }

    var dimensions: [Dimension] { question.dimensions }

    // MARK: Adding

    /// Adds the payments and refunds of one chain.
    mutating func add(_ income: CustomerIncome) {
        guard !income.revenue.isEmpty else { return }
        var account = accounts[income.customer] ?? Account()
        for found in income.revenue {
            if let payment = Payment(found) { account.payments.append(payment) }
            if found.amounts["gross"] ?? 0 > 0 || found.amounts["unpriced"] ?? 0 > 0 {
                account.first = LifetimeTable.earlier(
                    account.first,
                    First(purchase: found, chain: income.chain, isAdopted: income.isAdopted))
            }
        }
        accounts[income.customer] = account
    }

    mutating func add(_ other: LifetimeTable) {
        accounts.merge(other.accounts) { one, two in
            Account(
                first: two.first.map { LifetimeTable.earlier(one.first, $0) } ?? one.first,
                payments: one.payments + two.payments)
        }
    }

    /// This table reduced to one customer.
    func only(_ customer: Customer) -> LifetimeTable {
        var alone = self
        alone.accounts = accounts[customer].map { [customer: $0] } ?? [:]
        return alone
    }

    /// The earlier of two; at the same moment, the one proven by the earlier event, and where one
    /// receipt proves both, that of the first chain.
    private static func earlier(_ one: First?, _ two: First) -> First {
        guard let one,
            (one.purchase.at, one.purchase.cause, one.chain)
                <= (two.purchase.at, two.purchase.cause, two.chain)
        else { return two }
        return one
    }

    // MARK: Rows

    private typealias Cell = RollForwardQuery.Cell

    /// Rows by interval of the first purchase, then by group. The currency is that of the payments;
    /// a customer who paid in several currencies counts in each of them.
    ///
    /// Throws `amountTooLarge` for sums beyond what a report can hold.
    func rows() throws(MetricsError) -> [Report.Row] {
        // Refunds subtract, so intermediate sums may exceed the bound.
        var cells: [Cell: [String: Int128]] = [:]
        for account in accounts.values {
            for (cell, first, currency) in self.cells(of: account) {
                cells[cell, default: [:]].merge(
                    amounts(account, since: first.at, currency), uniquingKeysWith: +)
            }
        }
        var sums: [Cell: [String: Int64]] = [:]
        for (cell, amounts) in cells {
            sums[cell] = amounts.mapValues { Int64(clamping: $0) }
            guard sums[cell]?.values.allSatisfy(\.isReportable) ?? true else {
                throw .amountTooLarge
            }
        }
        return question.ordered(sums.keys, isWhole: false).map { cell in
            Report.Row(
                from: question.instants[cell.interval], to: question.instants[cell.interval + 1],
                group: cell.key, amounts: averaged(sums[cell] ?? [:]))
        }
    }

    /// The cells that count a customer, one for each currency paid in, with the first purchase.
    private func cells(
        of account: Account
    ) -> [(cell: Cell, first: Occurrence, currency: String?)] {
        // An adopted customer is not a new one.
        guard let found = account.first, !found.isAdopted,
            let interval = question.interval(of: found.purchase.at),
            question.matches(found.purchase.values)
        else { return [] }
        return Set(account.payments.map(\.currency))
            .filter { currencies?.contains($0) ?? true }
            .map { currency in
                var values = found.purchase.values
                values.currency = currency
                let cell = Cell(interval: interval, key: question.key(values, reason: nil))
                return (cell, found.purchase, currency)
            }
    }

    // MARK: One cell

    /// The first purchases of the customers that a group of the first interval counts.
    func firsts(of key: RollForwardQuery.Key) -> [Customer: First] {
        accounts.compactMapValues { account in
            let isCounted = cells(of: account).contains {
                $0.cell == Cell(interval: 0, key: key)
            }
            return isCounted ? account.first : nil
        }
    }

    /// What one chain adds to a column of a group that counts its customer. The chain of the first
    /// purchase adds the customer.
    func parts(
        of column: String, in key: RollForwardQuery.Key, _ income: CustomerIncome,
        first: First
    ) -> [CellPart] {
        let age = LifetimeTable.ages.first { "age.\($0)" == LifetimeTable.ageName(column) }
        let purchase = first.purchase
        let end = age.map {
            purchase.at.advanced(byMilliseconds: $0 * ReportZone.dayMilliseconds)
        }
        guard end.map({ $0 <= limit }) ?? true else { return [] }
        if column.hasSuffix("customers") {
            let isFirst = income.chain == first.chain
            return isFirst ? [CellPart(amount: 1, cause: purchase.cause)] : []
        }
        return income.revenue.compactMap { found in
            guard let payment = Payment(found), payment.currency == key[0],
                end.map({ payment.at < $0 }) ?? true
            else { return nil }
            let amount = column == "unpriced" ? payment.unpricedCount : payment.amount
            return amount == 0 ? nil : CellPart(amount: amount, cause: found.cause)
        }
    }

    private func amounts(
        _ account: Account, since first: Timestamp, _ currency: String?
    ) -> [String: Int128] {
        let payments = account.payments.filter { $0.currency == currency }
        var amounts: [String: Int128] = [
            "customers": 1, "net": payments.reduce(0) { $0 + Int128($1.amount) },
            "unpriced": payments.reduce(0) { $0 + Int128($1.unpricedCount) },
        ]
        for age in LifetimeTable.ages {
            let end = first.advanced(byMilliseconds: age * ReportZone.dayMilliseconds)
            // A younger customer has no sum at that age.
            guard end <= limit else { break }
            amounts["age.\(age).customers"] = 1
            amounts["age.\(age).net"] = payments.reduce(0) { sum, payment in
                payment.at < end ? sum + Int128(payment.amount) : sum
            }
        }
        return amounts
    }

    private func averaged(_ sums: [String: Int64]) -> [String: Int64] {
        var amounts = sums
        for age in LifetimeTable.ages {
            guard let count = sums["age.\(age).customers"], count > 0 else { continue }
            amounts["age.\(age).perCustomer"] = HalfEven.quotient(
                sums["age.\(age).net"] ?? 0, count)
        }
        return amounts
    }
}
