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

extension WebClient {
    /// The body of an order to erase.
    static func erasure(
        chains: [String] = [], customer: String? = nil, actor: String = "dpo",
        reason: String = "request 7", dryRun: Bool? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            if !chains.isEmpty { json.array("chains", chains) }
            json.memberIfPresent("customer", customer)
            json.member("actor", actor)
            json.member("reason", reason)
            json.memberIfPresent("dryRun", dryRun)
        }
        return json.bytes
    }

    func erase(
        chains: [String] = [], customer: String? = nil, actor: String = "dpo",
        reason: String = "request 7", dryRun: Bool? = nil, key: String? = nil
    ) async throws -> Answer {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.idempotencyKey] = key
        let body = WebClient.erasure(
            chains: chains, customer: customer, actor: actor, reason: reason, dryRun: dryRun)
        return try await post("/v1/erasures", body, fields)
    }
}
