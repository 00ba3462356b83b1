import AppStore
import ArgumentParser
import Ledger
import LedgerStore
import Projection
import SQLiteStore

struct RebuildCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Build new projections from the log, or check the current ones.")

    @Flag(help: "Decode the evidence again instead of trusting stored facts.")
    var fromLog = false

    @Flag(
        help: """
            Compare with the live projections instead, including those of another release; exit \
            code 1 when an answer would change.
            """)
    var check = false

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let ledger = try await settings.openLedger()
        if check, let check = try await RebuildCheck.ofAnotherBuild(ledger) {
            return try await closing(ledger.close) { try await compare(check) }
        }
        let session = try await settings.openSession(ledger, toProject: true)
        return try await closing(session.close) {
            let projector = try session.requiredProjector()
            if check { return try await compare(RebuildCheck(projector)) }
            // When opening built the projections, they are already new.
            if fromLog || !projector.wasBuiltOnOpening { try await rebuild(projector, session) }
            let store = projector.projections
            let position = try await store.checkpoint().position
            let count = try await store.subscriptionCount()
            return Output(
                text: "rebuilt \(count.named("chain", "chains")) up to position \(position) into"
                    + " \(store.path)\n"
            ) { json in
                json.member("position", position)
                json.member("subscriptions", count)
                json.member("file", store.path)
            }
        }
    }

    private func rebuild(_ projector: Projector, _ session: LedgerSession) async throws {
        let progress = ProgressLine()
        let reported = session.remarks.count
        try await projector.rebuild(fromLog: fromLog) { done in progress.show(done.text) }
        progress.end()
        for remark in session.remarks.dropFirst(reported) { Terminal.note("warning: \(remark)") }
    }

    private func compare(_ check: RebuildCheck) async throws -> Output {
        let progress = ProgressLine()
        let report = try await check.run { progress.show($0.text) }
        progress.end()
        return Output(
            text: lines(report).map { $0 + "\n" }.joined(),
            isClean: report.count == 0 && report.fileFindings.isEmpty
        ) { json in
            json.member("position", report.position)
            json.member("count", report.count)
            json.member("storedReducerVersion", report.stored?.reducerVersion)
            json.member("reducerVersion", report.expected.reducerVersion)
            json.array("fileFindings", report.fileFindings)
            json.objects("differences", report.differences) { json, difference in
                difference.chain.writeMembers(to: &json)
                json.array("columns", difference.columns)
            }
        }
    }

    private func lines(_ report: RebuildCheck.Report) -> [String] {
        var lines = changes(report)
        lines += report.differences.map { difference in
            "\(difference.chain.originalTransactionId) (\(difference.chain.bundleId)): "
                + difference.columns.joined(separator: ", ")
        }
        if report.count > report.differences.count {
            lines.append("… and \(report.count - report.differences.count) more")
        }
        lines += report.fileFindings.map { text($0, report) }
        if report.count > 0 {
            let differing = report.count.named("chain differs", "chains differ")
            lines.append("\(differing); run `subledger rebuild --from-log`")
        } else if report.fileFindings.isEmpty {
            lines.append(
                "projections equal a rebuild from the log up to position \(report.position)")
        } else {
            // Where a file contradicts itself, only the log is certain.
            lines.append("run `subledger rebuild\(report.faults.isEmpty ? "" : " --from-log")`")
        }
        return lines
    }

    private func text(_ finding: String, _ report: RebuildCheck.Report) -> String {
        if let fault = report.faults[finding] {
            return "\(finding): the file contradicts itself, and so do its answers: \(fault)"
        }
        return switch finding {
        case "schema": "the file: tables or views differ from those of this release"
        case "completeness": "the file: the completeness of the history differs"
        default: "the file: \(finding) holds rows of no chain, or other sums"
        }
    }

    /// How the compared file's build differs.
    private func changes(_ report: RebuildCheck.Report) -> [String] {
        guard let stored = report.stored, stored != report.expected else { return [] }
        let expected = report.expected
        var changes: [String] = []
        if stored.reducerVersion != expected.reducerVersion {
            changes.append("reducer \(stored.reducerVersion) against \(expected.reducerVersion)")
        }
        if stored.decoderVersion != expected.decoderVersion {
            changes.append("decoder \(stored.decoderVersion) against \(expected.decoderVersion)")
        }
        if stored.catalogueHash != expected.catalogueHash {
            changes.append("another catalogue (`products` in the configuration)")
        }
        if stored.days != expected.days {
            changes.append("days of \(stored.days) against \(expected.days) (`reportTimeZone`)")
        }
        return changes
    }
}
