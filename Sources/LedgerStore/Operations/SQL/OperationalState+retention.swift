public import AppStore
internal import Ledger

/// Answers to Apple's requests for retention messages.
extension OperationalState {
    /// Stores answers to requests for retention messages; a request that is known keeps its first
    /// answer. Drops answers older than `OperationsLimits.retentionMilliseconds` before the newest
    /// one given, and the oldest beyond `OperationsLimits.retentionAnswerCount`, counted by ids: in
    /// PostgreSQL a write that failed also takes ids.
    ///
    /// An erasure calls `erase` before and after it is appended to the log. A caller that reads
    /// `erasureCount` and then searches the log for erasures leaves nothing of an erased chain: it
    /// finds the erasure, or the second `erase` precedes this call, which is then refused, or it
    /// follows and removes the answer.
    ///
    /// - Parameters:
    ///   - answers: in any order.
    ///   - count: `erasureCount`, read before that search.
    /// - Returns: false where `erase` was called since, and nothing was stored.
    public func keep(
        _ answers: [RetentionRecord], erasures count: Int64
    ) async throws(StoreError) -> Bool {
        guard let newest = answers.map(\.at).max() else { return true }
        return try await writeTables(.requests) { tables in
            guard try tables.erasureCount() == count else { return false }
            try tables.insertAnswers(answers)
            try tables.execute(
                "DELETE FROM @retention_answers WHERE at <= $1::bigint",
                newest.milliseconds - OperationsLimits.retentionMilliseconds)
            try tables.execute(
                """
                DELETE FROM @retention_answers
                WHERE id <= (SELECT max(id) FROM @retention_answers) - $1::bigint
                """, OperationsLimits.retentionAnswerCount)
            return true
        }
    }

    /// How often `erase` was called, by any process.
    public func erasureCount() async throws(StoreError) -> Int64 {
        try await readTables { tables in try tables.erasureCount() }
    }

    /// The answers after a place and before a time, in order; at most `limit`.
    public func retentionAnswers(
        after place: RetentionRecord.Place, before end: Timestamp, limit: Int
    ) async throws(StoreError) -> [RetentionRecord] {
        try await rows(
            """
            SELECT request, bundle_id, chain, at, product, locale, outcome, rule, message,
                alternate_product, promotional_offer
            FROM @retention_answers
            WHERE (at, request) > ($1::bigint, $2::bytea) AND at < $3::bigint
            ORDER BY at, request LIMIT $4::bigint
            """, place.at, place.requestId, end, limit
        ) { row in
            RetentionRecord(
                requestId: try row.requiredText(0), chain: try row.chainId(1),
                at: try row.time(3), productId: row.text(4).map { ProductId($0) },
                locale: row.text(5),
                outcome: RetentionRecord.Outcome(rawValue: try row.requiredText(6))
                    ?? .unavailable,
                rule: row.text(7), message: row.text(8),
                alternateProduct: row.text(9).map { ProductId($0) },
                promotionalOffer: row.text(10))
        }
    }
}

extension SQLTables {
    fileprivate func erasureCount() throws -> Int64 {
        try rows("SELECT number FROM @erasure_count WHERE id = 1") { try $0.int64(0) }.first ?? 0
    }

    /// Whether `erase` was called exactly `count` times; a concurrent `erase` waits until this
    /// transaction ends.
    func holdErasures(at count: Int64) throws -> Bool {
        try execute(
            "UPDATE @erasure_count SET number = number WHERE id = 1 AND number = $1::bigint", count)
            == 1
    }

    /// Inserts answers to requests that have none yet; of several to one request, the first. Other
    /// answers take no id, since the oldest are dropped by id.
    fileprivate func insertAnswers(_ answers: [RetentionRecord]) throws {
        try execute(
            """
            INSERT INTO @retention_answers (request, bundle_id, chain, at, product, locale,
                outcome, rule, message, alternate_product, promotional_offer)
            SELECT $1::bytea, $2::bytea, $3::bytea, $4::bigint, $5::bytea, $6::bytea,
                $7::bytea, $8::bytea, $9::bytea, $10::bytea, $11::bytea
            WHERE NOT EXISTS (SELECT 1 FROM @retention_answers WHERE request = $1::bytea)
            ON CONFLICT (request) DO NOTHING
            """,
            each: answers.map { answer -> [(any BoundValue)?] in
                [
                    answer.requestId, answer.chain.bundleId,
                    answer.chain.originalTransactionId, answer.at, answer.productId,
                    answer.locale, answer.outcome.rawValue, answer.rule, answer.message,
                    answer.alternateProduct, answer.promotionalOffer,
                ]
            })
    }
}
