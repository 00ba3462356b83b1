public import AppStore
import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore

/// A customer of whom the receipts said something else than everything that is known now says of the
/// same moment.
public struct StateDifference: Sendable, Equatable {
    public let scope: MigrationScope
    public let originalTransactionId: OriginalTransactionId
    /// When the newest receipt was made, or verifyReceipt asked for the last time.
    public let at: Timestamp
    /// The state at that moment by receipts and answers of verifyReceipt alone; nil: none yet.
    public let said: String?
    /// The state at that moment by everything.
    public let actual: String
    /// Since when.
    public let since: Timestamp

    /// One line for people.
    public var text: String {
        "\(originalTransactionId): receipts of \(at.rfc3339) said \(said ?? "nothing"), it was"
            + " \(actual) since \(since.rfc3339)"
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("bundleId", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("originalTransactionId", originalTransactionId)
            json.member("at", at)
            json.member("said", said)
            json.member("is", actual)
            json.member("since", since)
        }
    }
}

/// The customers whose state differs, in the order in which they were found.
public struct StateDifferences: Sendable, Equatable {
    /// The first `MigrationLimits.differenceCount`.
    public private(set) var list: [StateDifference] = []
    public private(set) var omitted = 0
    /// Customers of whom receipts say something.
    public private(set) var compared = 0

    public init() {}

    /// Compares the customers of one app, on a ledger that has caught up.
    ///
    /// - Parameters:
    ///   - ids: originalTransactionIds; what is no chain's is passed over.
    ///   - now: the clock's now.
    public mutating func add(
        _ ids: [String], of scope: MigrationScope, in session: LedgerSession, now: Timestamp
    ) async throws(StoreError) {
        for start in stride(from: 0, to: ids.count, by: MigrationLimits.customersPerPage) {
            let end = min(start + MigrationLimits.customersPerPage, ids.count)
            let chains = ids[start..<end].map {
                ChainId(
                    bundleId: scope.bundleId, originalTransactionId: OriginalTransactionId($0))
            }
            for (chain, facts) in try await session.ledger.facts.facts(of: chains) {
                add(chain, facts, scope, session.ledger, now)
            }
        }
    }

    private mutating func add(
        _ chain: ChainId, _ facts: [Fact], _ scope: MigrationScope, _ ledger: EnvironmentLedger,
        _ now: Timestamp
    ) {
        let stated = facts.filter { $0.cause.kind == .receipt || $0.cause.kind == .verifyReceipt }
        guard let at = stated.compactMap(\.signedDate).max() else { return }
        compared += 1
        func answer(_ facts: [Fact]) -> ChainAnswer? {
            Lifecycle(facts, environment: ledger.environment, catalogue: ledger.catalogue)
                .answer(at: at, now: now)
        }
        guard let actual = answer(facts) else { return }
        let said = answer(stated)
        guard said?.state != actual.state else { return }
        // Both labels are one status of Apple's, and receipts do not state what tells them apart.
        if let status = said?.state.appleStatus, status == actual.state.appleStatus { return }
        add(
            StateDifference(
                scope: scope, originalTransactionId: chain.originalTransactionId, at: at,
                said: said?.state.rawValue, actual: actual.state.rawValue, since: actual.since))
    }

    /// One more; beyond the bound it is only counted.
    mutating func add(_ difference: StateDifference) {
        guard list.count < MigrationLimits.differenceCount else {
            omitted += 1
            return
        }
        list.append(difference)
    }

    /// For people, a line each.
    public var lines: [String] {
        let count = list.count + omitted
        let more = count - MigrationLimits.namedCount
        return ["\(count) of \(compared) customers were not what their receipts said"]
            + list.prefix(MigrationLimits.namedCount).map(\.text)
            + (more > 0 ? ["… and \(more) more (--json names them)"] : [])
    }

    /// The members of the report.
    public func write(to json: inout JSONWriter) {
        json.member("compared", compared)
        json.array("differences", list) { json, difference in difference.write(to: &json) }
        json.member("differencesOmitted", omitted)
    }
}
