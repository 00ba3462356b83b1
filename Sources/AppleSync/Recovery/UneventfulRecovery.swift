public import AppStore
public import Ledger
public import Projection

/// The result of `recover --suggested` when nothing looks missing and no window was requested.
public struct UneventfulRecovery: Sendable, Equatable {
    /// The window that is complete all the same; nil when no sweep was ever made.
    public let complete: CompleteWindow?
    /// The end of the log.
    public let position: Int64

    /// - Parameters:
    ///   - ledger: the ledger that was checked.
    ///   - bundleId: of the app.
    ///   - snapshot: the current state.
    public init(_ ledger: EnvironmentLedger, _ bundleId: BundleId, at snapshot: LedgerSnapshot) {
        position = snapshot.position
        complete = ledger.complete(of: bundleId, .everything, head: snapshot.position)
    }

    /// The text output.
    public static let text =
        "Nothing looks missing: no silence, no late cluster, no failed delivery.\n"

    /// The text output where only windows older than Apple's history look suspicious.
    public static let tooOldText =
        "Nothing looks missing within Apple's history; for older notifications `subledger"
        + " backfill` fetches the histories of customers.\n"

    /// Writes the members of a `RecoveryReport`, so that both have the same readers.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.array("suggested", [String]())
            for name in ["from", "to"] { json.member(name, Timestamp?.none) }
            for name in ["fetched", "known"] { json.member(name, Int64(0)) }
            json.object("new") { _ in }
            json.array("chainsChanged", [String]())
            json.member("chainsOmitted", Int64(0))
            json.array("customers", [String]())
            json.member("customersOmitted", Int64(0))
            json.array("undelivered", [String]())
            for name in ["tooOld", "refused"] { json.member(name, Int64(0)) }
            json.array("errors", [String]())
            complete.writeMembers(to: &json)
            json.member("reservation", String?.none)
            json.member("position", position)
        }
    }
}
