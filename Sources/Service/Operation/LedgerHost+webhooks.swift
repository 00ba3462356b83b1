public import AppStore
internal import LedgerStore
internal import Projection
public import Queries

/// Webhooks over HTTP and in the console.
extension LedgerHost {
    /// The state of the endpoints of an environment, in the order of the configuration.
    ///
    /// Throws `ServingError` or `StoreError`.
    public func webhooks(_ environment: Environment) async throws -> [WebhookStanding] {
        let served = try ledger(environment)
        var standings: [WebhookStanding] = []
        for endpoint in reach.endpoints(environment) {
            standings.append(
                try await WebhookStanding.standing(of: endpoint, in: served.ledger))
        }
        return standings
    }

    /// The endpoint of a name. Throws `OperatorError` (`noSuchEndpoint`).
    @discardableResult
    package func webhook(
        _ name: String, _ environment: Environment
    ) throws(OperatorError) -> WebhookEndpoint {
        let endpoints = reach.endpoints(environment)
        guard let endpoint = endpoints.first(where: { $0.name == name }) else {
            throw LedgerHost.noSuchEndpoint
        }
        return endpoint
    }

    private static var noSuchEndpoint: OperatorError {
        OperatorError(
            .noSuchEndpoint, "No webhook of that name is configured in this environment.")
    }

    /// What to deliver again.
    public struct Redelivery: Sendable, Equatable {
        /// Positions, both included.
        public let from: Int64
        public let to: Int64
        /// Whether only to count.
        public let isDryRun: Bool

        /// Positions redelivered at most by one request; `webhooks redeliver` has no bound.
        public static let positionCount: Int64 = 10_000

        /// Throws `malformed` for positions that are invalid, out of order or too many.
        public init(from: Int64, to: Int64, isDryRun: Bool) throws(IntakeRefusal) {
            guard from > 0, to >= from, to - from < Redelivery.positionCount else {
                throw IntakeRefusal.invalidBody(
                    "from and to take positions, 1 or more, in order, at most"
                        + " \(Redelivery.positionCount) of them.")
            }
            (self.from, self.to, self.isDryRun) = (from, to, isDryRun)
        }
    }

    /// Delivers the changes of a range of positions to an endpoint again, as `webhooks redeliver`
    /// does: under the same ids, without moving a cursor. Returns when it is done.
    ///
    /// Throws `OperatorError` (`noSuchEndpoint`), `CommandError`, `ServingError` (`stopping` when
    /// it is cancelled) or `StoreError`.
    public func redeliver(
        _ name: String, _ redelivery: Redelivery, _ order: CommandIntake.Order,
        _ environment: Environment
    ) async throws -> OperatorAct<WebhookSender.Redelivered> {
        let served = try ledger(environment)
        let endpoint = try webhook(name, environment)
        guard let transport = reach.transport else { throw LedgerHost.noSuchEndpoint }
        let request = [
            name, String(redelivery.from), String(redelivery.to), String(redelivery.isDryRun),
        ]
        return try await act("webhooks redeliver", on: name, request, order, in: served) {
            let end = min(redelivery.to, try await served.ledger.log.head().position)
            _ = try await served.snapshot(atLeast: end)
            let report = try await WebhookSender(
                endpoint: endpoint, transport: transport, clock: SystemClock(clock)
            ).redeliver(
                served.ledger, from: redelivery.from, to: end, isDryRun: redelivery.isDryRun)
            // A cancelled redelivery counts only a part; the same request delivers the whole range
            // again.
            guard !Task.isCancelled else { throw ServingError.stopping }
            return report
        }
    }

    /// The result of the redelivery under an idempotency key; nil where this process remembers
    /// none.
    public func redelivered(
        under key: String, _ environment: Environment
    ) -> WebhookSender.Redelivered? {
        acts.known(ActMemory.Key(environment: environment, key: key))?.value
            as? WebhookSender.Redelivered
    }
}

extension LedgerHost.Redelivery {
    public static let maximumByteCount = 16 * 1024

    /// The body of `POST /v1/webhooks/{name}:redeliver`: `{"from":1,"to":9,"dryRun"?:true}`.
    ///
    /// Throws `malformed` for an invalid body.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let body = try JSONBody(body)
        // A misspelt dryRun must not deliver.
        try body.requireOnly(["from", "to", "dryRun"])
        guard let from = body["from"]?.int64, let to = body["to"]?.int64 else {
            throw IntakeRefusal.invalidBody("from and to are required, positions.")
        }
        try self.init(from: from, to: to, isDryRun: try body.flag("dryRun"))
    }
}
