import AppStore
import ArgumentParser
import LedgerStore
import Projection
import SQLiteStore
import Service

struct RestoreCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await performBackup {
            let settings = try Settings(common)
            let progress = ProgressLine()
            let restore = Restore(
                settings.configuration.ledger, environment: settings.environment, replaces: replace
            ) { Console.now }
            let outcome = try await restore.run(from: file) { step in
                switch step {
                case .copying(let done, let all):
                    progress.show("copy: \(done) of \(all) bytes")
                case .verifying(let done, let all): progress.show("verify: \(done) of \(all)")
                }
            }
            progress.end()
            // Whatever fails below, the log is in place.
            try print(outcome.restored, settings.environment)
            if let failure = outcome.projectionFailure { throw RestoreCommand.behind(failure) }
        }
    }

    private static func behind(_ failure: StoreError) -> CommandFailure {
        CommandFailure(
            code: failure.code.rawValue,
            message: "The log is restored; derived data could not be rebuilt: "
                + failure.description,
            exit: .io)
    }

    private func print(_ report: LogRestore.Report, _ environment: Environment) throws {
        var before: Int64?
        if case .position(let position) = report.before { before = position }
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("file", file)
                    json.member("environment", environment.rawValue)
                    json.member("positionBefore", before)
                    json.member("position", report.head.position)
                    json.member("root", report.head.root)
                    json.member("setAside", report.setAside)
                }
            }
        }
        let old: String =
            switch report.before {
            case nil: "there was no log"
            case .position(let position): "the log there ended at position \(position)"
            case .unreadable: "the log there could not be read"
            }
        try Console.out(
            "restored \(environment.rawValue) from \(file): \(report.head.position) events,"
                + " verified, root \(report.head.root.hexadecimal); \(old)\n")
        if let setAside = report.setAside {
            try Console.out("the replaced log is kept as \(setAside)\n")
        }
    }
}
