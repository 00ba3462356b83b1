public import AppStore
public import LedgerStore
internal import Projection

/// The result of a backfill (`Contract.md`, `backfill`).
public struct BackfillReport: Sendable, Equatable {
    /// Number of distinct ids in the list.
    public var ids = 0
    /// The index at which this run resumed; 0 for a new list.
    public var resumedAt = 0
    /// The progress of the whole list, including earlier runs.
    public var run: BackfillRun
    /// Ids without a complete answer, in the order of the list.
    public var troubles: [BackfillRun.Trouble] = []
    /// The lower bound of this run's cost, as reported before it began.
    public var estimate: BackfillEstimate
    /// The heads of the ledgers, by environment.
    public var positions: [Position] = []
    /// Why the run stopped before the end of the list; nil if it did not.
    public var stop: AppleRequestFailure?

    /// The head of one ledger.
    public struct Position: Sendable, Equatable {
        public let environment: Environment
        public let position: Int64
    }

    /// Ids not requested yet.
    public var left: Int { ids - run.settled }

    /// Whether every id was answered completely.
    public var isComplete: Bool { run.done == ids }

    /// Ids that Apple does not know, or no longer.
    public var unknown: [String] { troubles.filter { $0.code == nil }.map(\.id) }

    /// Ids that were not answered completely.
    public var failed: [BackfillRun.Trouble] { troubles.filter { $0.code != nil } }

    // MARK: Output

    /// Writes the report; `list` is the list of the run.
    public func write(to json: inout JSONWriter, list: IdList, environment: Environment) {
        json.object { json in
            json.member("ids", ids)
            json.member("done", run.done)
            json.member("left", left)
            json.member("resumedAt", resumedAt)
            json.member("requests", run.requests)
            json.member("appended", run.appended)
            json.member("duplicates", run.duplicates)
            json.member("conflicts", run.conflicts)
            json.array("unknown", unknown)
            json.objects("failed", failed) { json, failure in
                json.member("id", failure.id)
                json.member("code", failure.code)
                json.member("message", failure.message)
            }
            list.write(to: &json)
            json.member("estimate", estimate)
            json.object("positions") { json in
                for entry in positions {
                    json.member(
                        EnvironmentLedger.directoryName(entry.environment), entry.position)
                }
            }
            json.member(
                "position", positions.first { $0.environment == environment }?.position ?? 0)
            json.member("stopped", stop?.code)
        }
    }

    /// Maximum number of ids listed in the text; the JSON has all.
    static let namedIdCount = 20

    /// The lines of the report for people.
    public func lines(list: IdList) -> [String] {
        let column = list.column.map { ", from column \($0)" } ?? ""
        var lines = ["\(run.done) of \(ids.named("id", "ids")) answered\(column)"]
        if let left = list.leftOut { lines.append(left) }
        if resumedAt > 0 {
            lines.append("resumed after \(resumedAt.named("id", "ids")) of earlier runs")
        }
        lines.append(
            "\(run.appended) appended, \(run.duplicates) known, "
                + run.conflicts.named("conflict", "conflicts") + "; "
                + run.requests.named("response", "responses") + " from Apple")
        for entry in positions {
            let name = EnvironmentLedger.directoryName(entry.environment)
            lines.append("\(name) ledger: position \(entry.position)")
        }
        if !unknown.isEmpty {
            let more = unknown.count - BackfillReport.namedIdCount
            lines.append(
                "\(unknown.count) unknown to Apple: "
                    + unknown.prefix(BackfillReport.namedIdCount).joined(separator: " ")
                    + (more > 0 ? " and \(more) more (--json lists them)" : ""))
        }
        for failure in failed.prefix(BackfillReport.namedIdCount) {
            lines.append("\(failure.id): \(failure.code ?? ""): \(failure.message)")
        }
        let more = failed.count - BackfillReport.namedIdCount
        if more > 0 {
            lines.append(
                "… and \(more.named("more failure", "more failures")) (--json lists them)")
        }
        if left > 0 { lines.append("\(left) not requested yet; run the same command to continue") }
        return lines
    }
}

extension IdList {
    /// The records skipped because of their store; nil for none.
    var leftOut: String? {
        guard otherStores > 0 else { return nil }
        var names = stores.map { "\($0.name) \($0.count)" }
        if furtherStores > 0 { names.append("others \(furtherStores)") }
        return "skipped, not from an Apple store: " + names.joined(separator: ", ")
    }

    func write(to json: inout JSONWriter) {
        json.member("column", column)
        json.member("repeated", repeated)
        json.member("otherStores", otherStores)
        json.objects("stores", stores) { json, store in
            json.member("store", store.name)
            json.member("records", store.count)
        }
        json.objects("badLines", badLines) { json, line in
            json.member("line", line.line)
            json.member("message", line.reason)
        }
        json.member("badLinesOmitted", badLinesOmitted)
    }
}
