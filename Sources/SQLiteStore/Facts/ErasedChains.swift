internal import AppStore
internal import GRDB
internal import Ledger
internal import LedgerStore

/// Erasures of chains, which mark the lives that begin under the same ids later
/// (`NoticeCode.erasedBefore`).
struct ErasedChains: Sendable {
    /// By the key under which they are stored (`ChainId(erased:)`).
    private var facts: [OriginalTransactionId: [Fact]] = [:]

    static let none = ErasedChains()

    private static let columns = "chain, signed_at, position, body"
    /// The keys of erasures, as a range.
    static let range = "chain >= char(1) || 'erased:' AND chain < char(1) || 'erased;'"

    /// All of a facts file.
    static func all(_ database: Database) throws -> ErasedChains {
        var erased = ErasedChains()
        try erased.read(
            database, "SELECT \(columns) FROM facts WHERE \(range)")
        return erased
    }

    /// Those of some chains; none are looked up in a file without any.
    static func of(_ chains: [ChainId], _ database: Database) throws -> ErasedChains {
        guard try database.hasRow("SELECT 1 FROM facts WHERE \(range) LIMIT 1") else {
            return .none
        }
        var erased = ErasedChains()
        for chain in chains where chain.customer == nil {
            try erased.read(
                database, "SELECT \(columns) FROM facts WHERE chain = ?",
                ChainId(erased: ErasedChain(chain)).originalTransactionId)
        }
        return erased
    }

    private mutating func read(
        _ database: Database, _ sql: String, _ key: OriginalTransactionId? = nil
    ) throws {
        let recent = StringInterner()
        let found = try database.rows(sql, all: key.map { [$0] } ?? []) { row in
            let fact = try row.withBytes(3) { bytes in
                try FactCodec.decode(
                    bytes, position: row.int64(2), signedAt: row.int64(1), recent: recent)
            }
            return (OriginalTransactionId(row.requiredText(0)), fact)
        }
        for (key, fact) in found where fact.cause.kind == .erasure {
            facts[key, default: []].append(fact)
        }
    }

    /// The facts of a chain with those of its erasures.
    func adding(to chain: ChainId, _ known: [Fact]) -> [Fact] {
        guard !facts.isEmpty, chain.customer == nil, !known.isEmpty else { return known }
        return known + (facts[ChainId(erased: ErasedChain(chain)).originalTransactionId] ?? [])
    }
}
