public import AppStore
import Ledger
public import LedgerStore
public import Projection
internal import Queries

/// The status of one endpoint for operators: configuration, progress and queues.
public struct WebhookStanding: Sendable, JSONObjectWritable {
    public let endpoint: WebhookEndpoint
    /// Nil when no service has started with it yet.
    public let row: WebhookEndpointRow?
    public let waiting: Int
    public let parked: Int
    /// The end of the log.
    public let head: Int64

    /// The status of an endpoint in its open environment.
    public static func standing(
        of endpoint: WebhookEndpoint, in ledger: EnvironmentLedger
    ) async throws(StoreError) -> WebhookStanding {
        let counts = try await ledger.operations.waitingCounts(for: endpoint.name)
        return WebhookStanding(
            endpoint: endpoint, row: try await ledger.operations.webhookEndpoint(endpoint.name),
            waiting: counts.waiting, parked: counts.parked,
            head: try await ledger.log.head().position)
    }

    /// `new`, `live`, or `disabled` after a 410.
    public var state: String {
        guard row != nil else { return "new" }
        return isStopped ? "disabled" : "live"
    }

    /// Whether nothing is delivered until `webhooks test` succeeds.
    package var isStopped: Bool { row?.disabledAt != nil }

    /// Whether the last attempt was not accepted.
    package var isFailing: Bool {
        guard let attempt = row?.lastAttemptAt else { return false }
        return row?.lastSuccessAt.map { $0 < attempt } ?? true
    }

    /// The address without its path and query, which may hold a secret.
    public var origin: String {
        endpoint.url.split { "/?".contains($0) }.prefix(2).joined(separator: "//")
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("name", endpoint.name)
        json.member("origin", origin)
        json.member("environment", endpoint.environment.rawValue)
        json.member("bundleId", endpoint.filter.bundleId)
        json.array(
            "types", (endpoint.filter.names ?? []).map(\.rawValue).sorted()
        ) { $0.value($1) }
        json.member("state", state)
        json.member("cursor", row?.cursor.position)
        json.member("position", head)
        json.member("waiting", Int64(waiting))
        json.member("parked", Int64(parked))
        json.member("disabledAt", row?.disabledAt)
        json.member("lastAttemptAt", row?.lastAttemptAt)
        json.member("lastSuccessAt", row?.lastSuccessAt)
        json.member("lastOutcome", row?.lastOutcome)
    }

    /// The cursor beside the end of the log.
    package var cursorText: String {
        row.map { "position \($0.cursor.position) of \(head)" } ?? "not begun"
    }

    public var text: String {
        "\(endpoint.name)  \(origin)  \(state)  \(cursorText)  \(waiting) waiting  \(parked) parked"
            + (row?.lastOutcome.map { "  last: \($0)" } ?? "")
    }
}
