import AppStore
import ArgumentParser
import Projection
import SQLiteStore
import Service

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the log into a file and verify it.",
        discussion: """
            Works while other processes append. The file is an SQLite database like log.sqlite. It \
            gets its name once it is complete and every hash in it is checked; an existing file is \
            never replaced. It holds the log of one environment: see --environment. An interrupted \
            backup leaves a directory FILE.partial-…, which the next backup removes.
            """)

    @Argument(help: "The file to create; it must not exist.")
    var file: String

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await performBackup {
            let settings = try Settings(common)
            let progress = ProgressLine()
            let report = try await Backup(
                settings.configuration.ledger, environment: settings.environment
            ).run(to: file) { step in
                switch step {
                case .copying(let done, let all): progress.show("copy: \(done) of \(all)")
                case .verifying(let done, let all): progress.show("verify: \(done) of \(all)")
                }
            }
            progress.end()
            try print(report)
        }
    }

    private func print(_ report: LogBackup.Report) throws {
        let description = report.description
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("file", report.path)
                    json.member("environment", description.environment.rawValue)
                    json.member("position", description.position)
                    json.member("root", description.root)
                    json.member("byteCount", report.byteCount)
                    json.member("databaseSha256", description.digest)
                }
            }
        }
        try Console.out(
            "backed up \(description.position) events of \(description.environment.rawValue) into"
                + " \(report.path): \(report.byteCount) bytes, verified, root \(description.root.hexadecimal)\n"
        )
    }
}

/// `perform`, with backup errors turned into command failures.
func performBackup(_ body: () async throws -> Void) async throws {
    try await perform {
        do { try await body() } catch let error as BackupError {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    init(_ error: BackupError) {
        let exit: Exit =
            switch error.code {
            case .noLog, .logUnsound, .backupDamaged, .backupForeign, .backupEnvironment: .negative
            case .backupExists, .backupUnreadable, .backupNewer, .logExists, .logInUse,
                .projectorBusy:
                .io
            }
        self.init(code: error.code.rawValue, message: error.description, exit: exit)
    }
}
