public import AppStore
public import Ledger
public import Projection

/// What `recover --suggested` comes to where nothing looks missing: nobody was asked for a window.
public struct UneventfulRecovery: Sendable, Equatable {
    /// Since when, and up to when, everything is here all the same; nil: nobody ever looked.
    public let complete: CompleteWindow?
    /// The end of the log.
    public let position: Int64

    /// - Parameters:
    ///   - ledger: which was looked at.
    ///   - bundleId: of the app.
    ///   - snapshot: the state as of now.
    public init(_ ledger: EnvironmentLedger, _ bundleId: BundleId, at snapshot: LedgerSnapshot) {
        position = snapshot.position
        complete = ledger.complete(of: bundleId, .everything, head: snapshot.position)
    }

    /// For people.
    public static let text =
        "Nothing looks missing: no silence, no late cluster, no failed delivery.\n"

    /// For people, where only windows looked wrong that Apple can no longer tell of.
    public static let tooOldText =
        "Nothing looks missing that Apple could still tell of; for what is older `subledger"
        + " backfill` asks for the histories of customers.\n"

    /// The members of a `RecoveryReport`, so that whoever reads one reads this.
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
