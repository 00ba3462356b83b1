import AppStore
import ArgumentParser
import Ledger
import LedgerStore
import Projection
import SQLiteStore
import Service

struct RebuildCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let ledger = try await EnvironmentLedger.open(
                settings.configuration.ledger, environment: settings.environment)
            if check, let check = try await RebuildCheck.ofAnotherBuild(ledger) {
                try await compare(check)
                await ledger.close()
                return
            }
            let session = try await settings.openSession(ledger, toProject: true)
            let projector = try session.requiredProjector()
            if check {
                try await compare(RebuildCheck(projector))
                await session.close()
                return
            }
            // When opening built the projections, they are already new.
            if fromLog || !projector.wasBuiltOnOpening {
                let progress = ProgressLine()
                let reported = session.remarks.count
                try await projector.rebuild(fromLog: fromLog) { done in progress.show(done.text) }
                progress.end()
                for remark in session.remarks.dropFirst(reported) {
                    Console.note("warning: \(remark)")
                }
            }
            let store = projector.projections
            let checkpoint = try await store.checkpoint()
            let count = try await store.subscriptionCount()
            try printRebuilt(store, count: count, position: checkpoint.position)
            await session.close()
        }
    }

    private func compare(_ check: RebuildCheck) async throws {
        let progress = ProgressLine()
        let report = try await check.run { progress.show($0.text) }
        progress.end()
        try print(report)
        if report.count > 0 || !report.fileFindings.isEmpty {
            throw ExitCode(CommandFailure.Exit.negative.rawValue)
        }
    }

    private func printRebuilt(
        _ store: ProjectionsStore, count: Int, position: Int64
    ) throws {
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("position", position)
                    json.member("subscriptions", count)
                    json.member("file", store.path)
                }
            }
        }
        try Console.out(
            "rebuilt \(count) chains up to position \(position) into \(store.path)\n")
    }

    private func print(_ report: RebuildCheck.Report) throws {
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("position", report.position)
                    json.member("count", report.count)
                    json.member("storedReducerVersion", report.stored?.reducerVersion)
                    json.member("reducerVersion", report.expected.reducerVersion)
                    json.array("fileFindings", report.fileFindings)
                    json.array("differences", report.differences) { json, difference in
                        json.object { json in
                            json.member("bundleId", difference.chain.bundleId)
                            json.member(
                                "originalTransactionId", difference.chain.originalTransactionId)
                            json.array("columns", difference.columns)
                        }
                    }
                }
            }
        }
        for change in changes(report) { try Console.out(change + "\n") }
        for difference in report.differences {
            try Console.out(
                "\(difference.chain.originalTransactionId) (\(difference.chain.bundleId)): "
                    + difference.columns.joined(separator: ", ") + "\n")
        }
        if report.count > report.differences.count {
            try Console.out("… and \(report.count - report.differences.count) more\n")
        }
        for finding in report.fileFindings { try Console.out(text(finding, report) + "\n") }
        if report.count == 0, !report.fileFindings.isEmpty {
            // Where a file contradicts itself, only the log is certain.
            let option = report.faults.isEmpty ? "" : " --from-log"
            return try Console.out("run `subledger rebuild\(option)`\n")
        }
        try Console.out(
            report.count == 0
                ? "projections equal a rebuild from the log up to position \(report.position)\n"
                : "\(report.count) chains differ; run `subledger rebuild --from-log`\n")
    }

    private func text(_ finding: String, _ report: RebuildCheck.Report) -> String {
        if let fault = report.faults[finding] {
            return "\(finding): the file contradicts itself, and so do its answers: \(fault)"
        }
        return finding == "schema"
            ? "the file: tables or views differ from those of this release"
            : "the file: \(finding) holds rows without a chain"
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
