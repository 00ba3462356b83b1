import AppStore
import ArgumentParser
import Intake
import LedgerStore
import Projection
import SQLiteStore
import Service

struct BackupCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the log into a file and verify it.",
        discussion: """
            Works while other processes append. The file is an SQLite database like log.sqlite. It \
            gets its name once it is complete and every hash in it is checked; an existing file is \
            never replaced. It holds the log of one environment: see --environment, and the \
            checkpoints that were kept of it. An interrupted backup leaves a directory \
            FILE.partial-…, which the next backup removes.
            """)

    @Argument(help: "The file to create; it must not exist.", completion: .file())
    var file: String

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let progress = ProgressLine()
        let report = try await EnvironmentLedger.backUp(
            settings.configuration.ledger, environment: settings.environment, to: file
        ) { step in
            switch step {
            case .copying(let done, let all): progress.show("copy: \(done) of \(all)")
            case .verifying(let done, let all): progress.show("verify: \(done) of \(all)")
            }
        }
        progress.end()
        let directory = settings.environmentDirectory
        if settings.configuration.ledger.database != nil, !NodeMemory.exists(in: directory) {
            Terminal.note(
                "warning: \(directory) belongs to no node, so a log that went back is not noticed;"
                    + " name a node's data directory with --data.")
        }
        let description = report.description
        let count = report.checkpointCount
        let signed = count > 0 ? ", \(count.named("checkpoint", "checkpoints"))" : ""
        let part = count > 0 ? "some" : "the"
        let left =
            report.checkpointsFailure.map { "warning: \(part) checkpoints are left out: \($0)\n" }
            ?? ""
        return Output(
            text: "backed up \(description.position.named("event", "events")) of"
                + " \(description.environment.rawValue) into \(report.path):"
                + " \(report.byteCount) bytes, verified,"
                + " root \(description.root.hexadecimal)\(signed)\n\(left)"
        ) { json in
            json.member("file", report.path)
            json.member("environment", description.environment.rawValue)
            json.member("position", description.position)
            json.member("root", description.root)
            json.member("byteCount", report.byteCount)
            json.member("databaseSha256", description.digest)
            json.member("checkpointCount", Int64(report.checkpointCount))
            json.member("checkpointsFailure", report.checkpointsFailure?.code.rawValue)
        }
    }
}
