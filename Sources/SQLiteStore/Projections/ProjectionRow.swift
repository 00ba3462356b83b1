internal import AppStore
internal import GRDB
internal import Ledger

/// A row of a chain that is stored under a key of two columns: its first column is bound at
/// parameter 3.
protocol ProjectionRow: StoredRow {
    /// `subscription, seq` by default: the chain and the row's index in it.
    static var key: [String] { get }
    /// Reads the columns, the first at column 0.
    init(_ statement: PreparedStatement)
}

extension ProjectionRow {
    static var key: [String] { ["subscription", "seq"] }

    /// The statement that inserts a row with key and columns.
    static var insert: String {
        """
        INSERT INTO \(table) (\((key + columns).joined(separator: ", ")))
        VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))
        """
    }
}

struct IntervalRow: ProjectionRow {
    let state: Raw<ChainState>
    let from: Int64
    let to: Int64?
    let productId: String?
    let transactionId: String
    let reason: Raw<EndReason>?
    let cause: Int64

    static let table = "intervals"
    static let columns = [
        "state", "from_at", "to_at", "product_id", "transaction_id", "reason", "cause",
    ]

    init(_ interval: Interval, cause: Int64) {
        state = Raw(interval.state)
        from = interval.from.milliseconds
        to = interval.to?.milliseconds
        productId = interval.productId?.rawValue
        transactionId = interval.transactionId.rawValue
        reason = interval.reason.map { Raw($0) }
        self.cause = cause
    }

    init(_ statement: PreparedStatement) {
        state = Raw(rawValue: statement.text(0) ?? "")
        from = statement.int64(1)
        to = statement.optionalInt64(2)
        productId = statement.text(3)
        transactionId = statement.text(4) ?? ""
        reason = statement.text(5).map { Raw(rawValue: $0) }
        cause = statement.int64(6)
    }

    func bind(_ statement: inout some ColumnSink) {
        statement.bind(3, state.rawValue)
        statement.bind(4, from)
        statement.bind(5, to)
        statement.bind(6, productId)
        statement.bind(7, transactionId)
        statement.bind(8, reason?.rawValue)
        statement.bind(9, cause)
    }
}

struct TimelineEventRow: ProjectionRow {
    let at: Int64
    let fact: Raw<TimelineEventName>
    let productId: String?
    let transactionId: String?
    let cause: Int64

    static let table = "life_facts"
    static let columns = ["at", "fact", "product_id", "transaction_id", "cause"]

    init(_ fact: TimelineEvent) {
        at = fact.at.milliseconds
        self.fact = Raw(fact.name)
        productId = fact.productId?.rawValue
        transactionId = fact.transactionId?.rawValue
        cause = fact.cause
    }

    init(_ statement: PreparedStatement) {
        at = statement.int64(0)
        fact = Raw(rawValue: statement.text(1) ?? "")
        productId = statement.text(2)
        transactionId = statement.text(3)
        cause = statement.int64(4)
    }

    func bind(_ statement: inout some ColumnSink) {
        statement.bind(3, at)
        statement.bind(4, fact.rawValue)
        statement.bind(5, productId)
        statement.bind(6, transactionId)
        statement.bind(7, cause)
    }
}

struct NoticeRow: ProjectionRow {
    let code: String
    let message: String
    let from: Int64
    let to: Int64?
    let evidence: String

    static let table = "notices"
    static let columns = ["code", "message", "from_at", "to_at", "evidence"]

    init(_ notice: Notice) {
        code = notice.code.rawValue
        message = notice.message
        from = notice.from.milliseconds
        to = notice.to?.milliseconds
        evidence = "[" + notice.evidence.map(String.init).joined(separator: ",") + "]"
    }

    init(_ statement: PreparedStatement) {
        code = statement.text(0) ?? ""
        message = statement.text(1) ?? ""
        from = statement.int64(2)
        to = statement.optionalInt64(3)
        evidence = statement.text(4) ?? ""
    }

    func bind(_ statement: inout some ColumnSink) {
        statement.bind(3, code)
        statement.bind(4, message)
        statement.bind(5, from)
        statement.bind(6, to)
        statement.bind(7, evidence)
    }
}
