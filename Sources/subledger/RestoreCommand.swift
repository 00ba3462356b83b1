import AppStore
import ArgumentParser
import LedgerStore
import Projection
import SQLiteStore
import Service

struct RestoreCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the log by a backup.",
        discussion: """
            Copies the backup and checks every hash before any file is touched, then rebuilds \
            derived data. A log that has events is replaced only with --replace; the old log then \
            stays in the directory as log-replaced-TIME.sqlite, and no other process may have it \
            open.
            """)

    @Argument(help: "A file that backup wrote.")
    var file: String

    @Flag(help: "Replace an existing log; it is kept under another name.")
    var replace = false

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let progress = ProgressLine()
        let outcome = try await EnvironmentLedger.restore(
            settings.configuration.ledger, environment: settings.environment, from: file,
            replaces: replace, now: Terminal.now
        ) { step in
            switch step {
            case .copying(let done, let all): progress.show("copy: \(done) of \(all) bytes")
            case .verifying(let done, let all): progress.show("verify: \(done) of \(all)")
            }
        }
        progress.end()
        let (report, environment) = (outcome.restored, settings.environment.rawValue)
        var before: Int64?
        let old: String
        switch report.before {
        case nil: old = "there was no log"
        case .position(let position):
            before = position
            old = "the log there ended at position \(position)"
        case .unreadable: old = "the log there could not be read"
        }
        // Whatever fails below, the log is in place.
        let failure = outcome.projectionFailure.map { failure in
            let message = "The log is restored; derived data could not be rebuilt: "
            return CommandFailure(failure.code, message + failure.description, .io)
        }
        let kept = report.setAside.map { "the replaced log is kept as \($0)\n" }
        return Output(
            text: "restored \(environment) from \(file): \(report.head.position) events,"
                + " verified, root \(report.head.root.hexadecimal); \(old)\n" + (kept ?? ""),
            failure: failure
        ) { json in
            json.member("file", file)
            json.member("environment", environment)
            json.member("positionBefore", before)
            json.member("position", report.head.position)
            json.member("root", report.head.root)
            json.member("setAside", report.setAside)
        }
    }
}
