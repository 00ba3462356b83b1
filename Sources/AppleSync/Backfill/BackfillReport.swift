public import AppStore
public import LedgerStore
internal import Projection

/// What a backfill came to (`contract.md`, `backfill`).
public struct BackfillReport: Sendable, Equatable {
    /// Ids of the list, each once.
    public var ids = 0
    /// Where in the list this run went on: 0 of a list that began.
    public var resumedAt = 0
    /// The whole list's standing, runs before this one included.
    public var run: BackfillRun
    /// Ids Apple knows nothing of, any more or at all; in the order of the list.
    public var unknown: [String] = []
    /// Ids that were not answered whole.
    public var failed: [Failure] = []
    /// What this run took at least, as told before it began.
    public var estimate: BackfillEstimate
    /// The ends of the ledgers, by environment.
    public var positions: [Position] = []
    /// Why the run ended before the list did; nil when it did not.
    public var stop: AskingFailure?

    /// An id that was not answered whole.
    public struct Failure: Sendable, Equatable {
        public let id: String
        public let code: String
        public let message: String
    }

    /// The end of one ledger.
    public struct Position: Sendable, Equatable {
        public let environment: Environment
        public let position: Int64
    }

    /// Ids that nobody asked about yet.
    public var left: Int { ids - run.settled }

    /// Whether every id was answered whole.
    public var isComplete: Bool { run.done == ids }

    mutating func add(_ troubles: [BackfillRun.Trouble]) {
        for trouble in troubles {
            if let code = trouble.code {
                failed.append(Failure(id: trouble.id, code: code, message: trouble.message))
            } else {
                unknown.append(trouble.id)
            }
        }
    }

    // MARK: Telling

    /// The report's members, `list` being what was read.
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
            json.array("failed", failed) { json, failure in
                json.object { json in
                    json.member("id", failure.id)
                    json.member("code", failure.code)
                    json.member("message", failure.message)
                }
            }
            list.write(to: &json)
            json.key("estimate")
            estimate.write(to: &json)
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

    /// Ids named one by one in a text; all of them are in the JSON.
    static let namedIdCount = 20

    /// The report for people, a line each.
    public func lines(list: IdList) -> [String] {
        let column = list.column.map { ", from column \($0)" } ?? ""
        var lines = ["\(run.done) of \(ids) ids answered\(column)"]
        if let left = list.leftOut { lines.append(left) }
        if resumedAt > 0 { lines.append("went on after \(resumedAt) that were settled before") }
        lines.append(
            "\(run.appended) appended, \(run.duplicates) known, \(run.conflicts) conflicts;"
                + " \(run.requests) answers of Apple's")
        for entry in positions {
            let name = EnvironmentLedger.directoryName(entry.environment)
            lines.append("\(name) ledger: position \(entry.position)")
        }
        if !unknown.isEmpty {
            let more = unknown.count - BackfillReport.namedIdCount
            lines.append(
                "\(unknown.count) unknown to Apple: "
                    + unknown.prefix(BackfillReport.namedIdCount).joined(separator: " ")
                    + (more > 0 ? " and \(more) more (--json names them)" : ""))
        }
        for failure in failed.prefix(BackfillReport.namedIdCount) {
            lines.append("\(failure.id): \(failure.code): \(failure.message)")
        }
        let more = failed.count - BackfillReport.namedIdCount
        if more > 0 { lines.append("… and \(more) more that failed (--json names them)") }
        if left > 0 { lines.append("\(left) not asked about; the same command goes on there") }
        return lines
    }
}

extension IdList {
    /// What was not asked about because of its store; nil when nothing was left out.
    var leftOut: String? {
        guard otherStores > 0 else { return nil }
        var names = stores.map { "\($0.name) \($0.count)" }
        if furtherStores > 0 { names.append("further ones \(furtherStores)") }
        return "left out, of stores that are not Apple's: " + names.joined(separator: ", ")
    }

    func write(to json: inout JSONWriter) {
        json.member("column", column)
        json.member("repeated", repeated)
        json.member("otherStores", otherStores)
        json.array("stores", stores) { json, store in
            json.object { json in
                json.member("store", store.name)
                json.member("records", store.count)
            }
        }
        json.array("badLines", badLines) { json, line in
            json.object { json in
                json.member("line", line.line)
                json.member("message", line.reason)
            }
        }
        json.member("badLinesOmitted", badLinesOmitted)
    }
}
