internal import AppStore
internal import GRDB
internal import Ledger

/// The stored form of one customer's holding of a chain, or of their grants. Compact, since every
/// chain has one, and fast to read, since every verdict reads it.
enum HoldingCodec {
    enum Content: Equatable {
        case holding(Holding)
        case grants([Grant])
    }

    private static let holdingMark: UInt64 = 1
    private static let grantsMark: UInt64 = 2
    private static let states = ChainState.allCases

    // MARK: Holdings

    static func encode(_ holding: Holding) -> [UInt8] {
        var writer = FactWriter()
        writer.unsigned(holdingMark)
        writer.id(holding.originalTransactionId.rawValue)
        let base = holding.stretches.first?.from.milliseconds ?? 0
        writer.signed(base)
        let isWhole = holding.completeFrom == Timestamp(milliseconds: .min)
        writer.date(isWhole ? nil : holding.completeFrom, from: base)
        var products: [Product] = []
        let places = holding.stretches.map { stretch in
            let product = (stretch.productId, stretch.group)
            if let place = products.firstIndex(where: { $0 == product }) { return place }
            products.append(product)
            return products.count - 1
        }
        writer.unsigned(UInt64(products.count))
        for product in products {
            writer.optionalText(product.id?.rawValue)
            writer.id(product.group?.rawValue)
        }
        writer.unsigned(UInt64(holding.stretches.count))
        for (stretch, place) in zip(holding.stretches, places) {
            encode(stretch, place, base, &writer)
        }
        writer.date(holding.overdue?.from, from: base)
        if let overdue = holding.overdue { writer.differences(overdue.evidence) }
        writer.optionalBool(holding.meetsMinimumTrust)
        return writer.bytes
    }

    /// Values that several stretches share, stored once.
    private typealias Product = (id: ProductId?, group: SubscriptionGroupIdentifier?)

    private static func encode(
        _ stretch: HoldingInterval, _ product: Int, _ base: Int64, _ writer: inout FactWriter
    ) {
        writer.unsigned(UInt64(product))
        writer.unsigned(UInt64(states.firstIndex(of: stretch.state) ?? 0))
        writer.signed(stretch.from.milliseconds &- base)
        writer.date(stretch.to, from: stretch.from.milliseconds)
        writer.signed(stretch.since.milliseconds &- stretch.from.milliseconds)
        writer.date(stretch.until, from: stretch.from.milliseconds)
        writer.signed(stretch.accessEnded.milliseconds &- stretch.from.milliseconds)
        writer.byte(UInt8(FactTables.trusts.firstIndex(of: stretch.trust) ?? 0))
        writer.differences(stretch.evidence)
        writer.byte(UInt8(FactTables.trusts.firstIndex(of: stretch.endTrust) ?? 0))
        writer.differences(stretch.endEvidence)
    }

    // MARK: Grants

    static func encode(_ grants: [Grant]) -> [UInt8] {
        var writer = FactWriter()
        writer.unsigned(grantsMark)
        writer.unsigned(UInt64(grants.count))
        for grant in grants {
            writer.text(grant.id)
            writer.text(grant.customer.rawValue)
            writer.text(grant.entitlement)
            writer.text(grant.actor)
            writer.text(grant.reason)
            writer.signed(grant.from.milliseconds)
            writer.signed(grant.until.milliseconds)
            writer.optionalSigned(grant.withdrawnAt?.milliseconds)
            writer.differences(grant.evidence)
        }
        return writer.bytes
    }

    // MARK: Reading

    /// Throws `FactReader.Damage` for bytes that `encode` did not produce.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(FactReader.Damage) -> Content {
        var reader = FactReader(bytes)
        let content: Content
        switch try reader.unsigned() {
        case holdingMark: content = .holding(try holding(&reader))
        case grantsMark: content = .grants(try grants(&reader))
        default: throw FactReader.Damage()
        }
        guard reader.isAtEnd else { throw FactReader.Damage() }
        return content
    }

    private static func holding(
        _ reader: inout FactReader
    ) throws(FactReader.Damage) -> Holding {
        guard let id = try reader.id() else { throw FactReader.Damage() }
        let base = try reader.signed()
        let completeFrom = try reader.date(from: base)
        var products: [Product] = []
        for _ in 0..<(try reader.unsigned()) {
            products.append(
                (
                    try reader.optionalText().map { ProductId($0) },
                    try reader.id().map { SubscriptionGroupIdentifier($0) }
                ))
        }
        var stretches: [HoldingInterval] = []
        for _ in 0..<(try reader.unsigned()) {
            stretches.append(try stretch(&reader, products, base))
        }
        var overdue: Holding.Overdue?
        if let from = try reader.date(from: base) {
            overdue = Holding.Overdue(from: from, evidence: try reader.differences())
        }
        return Holding(
            originalTransactionId: OriginalTransactionId(id), stretches: stretches,
            completeFrom: completeFrom ?? Timestamp(milliseconds: .min), overdue: overdue,
            meetsMinimumTrust: try reader.optionalBool() ?? false)
    }

    private static func stretch(
        _ reader: inout FactReader, _ products: [Product], _ base: Int64
    ) throws(FactReader.Damage) -> HoldingInterval {
        let product = try reader.unsigned()
        guard product < UInt64(products.count) else { throw FactReader.Damage() }
        let state = try reader.element(of: states)
        let from = base &+ (try reader.signed())
        let to = try reader.date(from: from)
        let since = from &+ (try reader.signed())
        let until = try reader.date(from: from)
        let accessEnded = from &+ (try reader.signed())
        return HoldingInterval(
            state: state, from: Timestamp(milliseconds: from), to: to,
            since: Timestamp(milliseconds: since), until: until,
            accessEnded: Timestamp(milliseconds: accessEnded),
            productId: products[Int(product)].id, group: products[Int(product)].group,
            trust: try reader.element(of: FactTables.trusts), evidence: try reader.differences(),
            endTrust: try reader.element(of: FactTables.trusts),
            endEvidence: try reader.differences())
    }

    private static func grants(
        _ reader: inout FactReader
    ) throws(FactReader.Damage) -> [Grant] {
        var grants: [Grant] = []
        for _ in 0..<(try reader.unsigned()) {
            grants.append(
                Grant(
                    id: try reader.text(), customer: CustomerId(try reader.text()),
                    entitlement: try reader.text(), actor: try reader.text(),
                    reason: try reader.text(),
                    from: Timestamp(milliseconds: try reader.signed()),
                    until: Timestamp(milliseconds: try reader.signed()),
                    withdrawnAt: try reader.optionalSigned().map { Timestamp(milliseconds: $0) },
                    evidence: try reader.differences()))
        }
        return grants
    }
}

/// One customer's holding of a chain: stored by customer, so that a verdict needs one query.
struct HoldingRow: StoredRow {
    let customer: String
    let holds: Bool
    let body: [UInt8]

    static let table = "holdings"
    static let columns = ["customer", "holds", "body"]

    var values: [ColumnValue] { [.text(customer), ColumnValue(holds), .bytes(body)] }

    /// One row for each customer whom a fact of the chain ever named, in byte order; under a
    /// customer's own entry one row with their grants.
    static func rows(_ chain: ChainId, _ life: Lifecycle) -> [HoldingRow] {
        if let customer = chain.customer {
            return [
                HoldingRow(
                    customer: customer.rawValue, holds: false,
                    body: HoldingCodec.encode(Grant.grants(life.commands)))
            ]
        }
        guard !life.holders.named.isEmpty else { return [] }
        let last = life.holders.spans.last?.holders ?? []
        return life.holders.named.map { customer in
            let holding = life.holding(
                of: customer, chain: chain, limit: Holding.shortStretchCount)
            return HoldingRow(
                customer: customer.rawValue, holds: last.contains { $0.customer == customer },
                body: HoldingCodec.encode(holding))
        }
    }

    // MARK: Stored

    /// The rows of one chain, on a connection with the temporary table `held`, which is in chain
    /// order.
    static func rows(_ subscription: Int64, _ database: Database) throws -> [HoldingRow] {
        try database.rows(
            """
            SELECT customer, holds, body FROM held JOIN holdings USING (customer, subscription)
            WHERE held.subscription = ? ORDER BY customer
            """, subscription
        ) { row in
            HoldingRow(
                customer: row.requiredText(0), holds: row.int64(1) == 1, body: row.bytes(2))
        }
    }
}
