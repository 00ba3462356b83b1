public import AppStore
import Ledger
public import LedgerStore
public import Projection
internal import Queries
internal import SQLiteStore

/// A customer whose state by receipts differs from the state by everything known now, for the same
/// moment.
public struct StateDifference: Sendable, Equatable {
    public let scope: ImportScope
    public let originalTransactionId: OriginalTransactionId
    /// The creation of the newest receipt, or the last verifyReceipt request.
    public let at: Timestamp
    /// The state at that moment by receipts and verifyReceipt responses alone; nil: none.
    public let byReceipts: String?
    /// The state at that moment by all facts.
    public let actual: String
    /// The start of the actual state.
    public let since: Timestamp

    /// One line for people.
    public var text: String {
        "\(originalTransactionId): receipts of \(at.rfc3339) stated \(byReceipts ?? "nothing"),"
            + " actual was \(actual) since \(since.rfc3339)"
    }

    func writeMembers(to json: inout JSONWriter) {
        scope.writeMembers(to: &json)
        json.member("originalTransactionId", originalTransactionId)
        json.member("at", at)
        json.member("said", byReceipts)
        json.member("is", actual)
        json.member("since", since)
    }
}

/// The customers whose state differs, in order of discovery.
public struct StateDifferences: Sendable, Equatable {
    /// The first `ImportLimits.differenceCount`.
    public private(set) var list: [StateDifference] = []
    public private(set) var omitted = 0
    /// The number of customers with receipts.
    public private(set) var compared = 0

    public init() {}

    /// Compares the customers of one app by originalTransactionId; ids without a chain are skipped.
    /// The ledger must have caught up.
    public mutating func add(
        _ ids: [String], of scope: ImportScope, in session: LedgerSession, now: Timestamp
    ) async throws(StoreError) {
        for page in ids.pieces(of: ImportLimits.customersPerPage) {
            let chains = page.map {
                ChainId(
                    bundleId: scope.bundleId, originalTransactionId: OriginalTransactionId($0))
            }
            for (chain, facts) in try await session.ledger.facts.facts(of: chains) {
                add(chain, facts, scope, session.ledger, now)
            }
        }
    }

    private mutating func add(
        _ chain: ChainId, _ facts: [Fact], _ scope: ImportScope, _ ledger: EnvironmentLedger,
        _ now: Timestamp
    ) {
        let stated = facts.filter { $0.cause.kind == .receipt || $0.cause.kind == .verifyReceipt }
        guard let at = stated.compactMap(\.signedDate).max() else { return }
        compared += 1
        func answer(_ facts: [Fact]) -> ChainAnswer? {
            ledger.life(of: facts).answer(at: at, now: now)
        }
        guard let actual = answer(facts) else { return }
        let byReceipts = answer(stated)
        guard byReceipts?.state != actual.state else { return }
        // Both states map to one Apple status, and receipts do not state what distinguishes them.
        if let status = byReceipts?.state.appleStatus, status == actual.state.appleStatus { return }
        add(
            StateDifference(
                scope: scope, originalTransactionId: chain.originalTransactionId, at: at,
                byReceipts: byReceipts?.state.rawValue, actual: actual.state.rawValue,
                since: actual.since))
    }

    /// Adds a difference; beyond the limit it is only counted.
    mutating func add(_ difference: StateDifference) {
        list.append(difference, upTo: ImportLimits.differenceCount, omitted: &omitted)
    }

    /// The lines for people.
    public var lines: [String] {
        let count = list.count + omitted
        let more = count - ImportLimits.namedCount
        return ["\(count) of \(compared) customers differ from their receipts"]
            + list.prefix(ImportLimits.namedCount).map(\.text)
            + (more > 0 ? ["… and \(more) more (--json lists them)"] : [])
    }

    /// The members of the report.
    public func write(to json: inout JSONWriter) {
        json.member("compared", compared)
        json.objects("differences", list) { $1.writeMembers(to: &$0) }
        json.member("differencesOmitted", omitted)
    }
}
