public import AppStore
public import Intake
public import LedgerStore
internal import Projection
public import Queries

/// A page of the quarantine, newest first.
public struct QuarantinePage: Sendable, JSONObjectWritable {
    /// Without bytes.
    public let items: [QuarantineItem]
    /// The id after which the next page continues; nil at the end.
    public let next: Int64?
    /// Everything that is in quarantine.
    public let totals: [QuarantineTotal]

    /// The object of `GET /v1/quarantine`.
    public func writeMembers(to json: inout JSONWriter) {
        json.array("items", items) { $1.write(to: &$0, withBytes: false) }
        json.member("next", next)
        json.objects("totals", totals) { $1.writeMembers(to: &$0) }
    }
}

/// The quarantine over HTTP and in the console.
extension LedgerHost {
    /// Items older than `after` (nil: the newest), newest first; `limit` is 1 to
    /// `maximumPageCount`.
    ///
    /// Throws `ServingError` or `StoreError`.
    public func quarantine(
        _ environment: Environment, after: Int64? = nil, limit: Int = LedgerHost.usualPageCount
    ) async throws -> QuarantinePage {
        let operations = try ledger(environment).ledger.operations
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let items = try await operations.quarantined(before: after, limit: limit + 1)
        return QuarantinePage(
            items: Array(items.prefix(limit)),
            next: items.count > limit ? items[limit - 1].id : nil,
            totals: try await operations.quarantineTotals())
    }

    /// One item with its bytes, which are untrusted: show them printable only.
    ///
    /// Throws `OperatorError` (`noSuchItem`), `ServingError` or `StoreError`.
    public func quarantineItem(
        _ id: Int64, _ environment: Environment
    ) async throws -> QuarantineItem {
        let operations = try ledger(environment).ledger.operations
        guard let item = try await operations.quarantineItem(id) else {
            throw OperatorError(.noSuchItem, "There is no item \(id) in quarantine.")
        }
        return item
    }

    /// Ingests every item again under the current configuration, as `quarantine retry` does.
    /// Accepted items and duplicates leave the quarantine.
    ///
    /// - `isEnvironmentNamed`: whether the operator named the environment, so that evidence
    ///   that names none belongs to it.
    ///
    /// Throws `CommandError`, `ServingError` (`stopping` when it is cancelled) or `StoreError`.
    public func retryQuarantine(
        _ order: CommandIntake.Order, _ environment: Environment, isEnvironmentNamed: Bool
    ) async throws -> OperatorAct<IngestSummary> {
        let served = try ledger(environment)
        try requireClock()
        return try await act(
            "quarantine retry", [String(isEnvironmentNamed)], order, in: served
        ) {
            do {
                let summary = try await Quarantine(ledger: served.ledger).retry(
                    apps: configuration.apps, verifier: verifier,
                    isEnvironmentNamed: isEnvironmentNamed, revocation: revocation)
                served.noteEnd(summary.position)
                served.wake.raise()
                return summary
            } catch {
                // The same request goes on with what is left.
                guard Task.isCancelled else { throw error }
                throw ServingError.stopping
            }
        }
    }

    /// `quarantineItem` as JSON, as `quarantine show` prints it.
    public func quarantineItemAnswer(
        _ id: Int64, _ environment: Environment
    ) async throws -> ServedAnswer {
        let item = try await quarantineItem(id, environment)
        return try answer(environment) { item.write(to: &$0, withBytes: true) }
    }
}
