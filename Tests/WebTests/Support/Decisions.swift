import AppStore
import HTTPTypes
import LedgerStore
import Projection
import Service

@testable import Web

extension HTTPFields {
    /// The header of a decision, or of an operator's act.
    static func decision(
        key: String? = nil, actor: String? = "sara", reason: String? = "ticket 7"
    ) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.actor] = actor
        fields[.reason] = reason
        fields[.idempotencyKey] = key
        return fields
    }
}

extension LedgerHost {
    /// The last position of the log of Production.
    func end() async throws -> Int64 { try await ledger(.production).ledger.log.head().position }
}
