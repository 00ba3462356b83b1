import AppStore
import ArgumentParser
import Foundation
import Intake
import LedgerStore
import Projection
import Proofs
import Service

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract:
            "Move a log between engines, accept one that went back, or list its erasures.",
        subcommands: [CopyCommand.self, AcceptCommand.self, ErasuresCommand.self])

    struct ErasuresCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "erasures",
            abstract: "Print the erasures of the log, for `restore --erasures`.",
            discussion: """
                One line of JSON for each, without anything of the persons. Keep the output apart \
                from the disk of the log: a backup that is older than an erasure holds what was \
                erased, and restore applies the erasures again.
                """)

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let opened = try await EnvironmentLedger.openExisting(
                settings.configuration.ledger, environment: settings.environment)
            let records = try await closing(opened.close) {
                try await ErasureRecord.all(of: opened.log)
            }
            var lines = JSONWriter()
            for record in records {
                record.write(to: &lines)
                lines.newline()
            }
            try Terminal.out(lines.bytes)
            return .printed()
        }
    }

    struct CopyCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copy a log into a database or out of it.",
            discussion: """
                Copies the events of one environment with their positions, hashes and tree, checks \
                every event's bytes, and compares the trees at the end. After an interruption the \
                same command continues. A target that holds anything else than the beginning of \
                the source is refused and left unchanged. Checkpoints that were kept are copied; \
                exit code 1 where the log does not extend all of them. Other operational state \
                (quarantine, webhooks, cursors) is not copied.
                """)

        @Option(
            help: ArgumentHelp(
                "The source: a connection string of PostgreSQL, or a data directory.",
                valueName: "url|dir"),
            completion: .directory)
        var from: String

        @Option(
            help: ArgumentHelp("The target, likewise.", valueName: "url|dir"),
            completion: .directory)
        var to: String

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let source = try await settings.openLog(at: from, isSource: true)
            let (report, checkpoints, compared) = try await closing(source.close) {
                let target = try await settings.openLog(at: to, isSource: false)
                return try await closing(target.close) {
                    let progress = ProgressLine()
                    let copied = try await EnvironmentLedger.copy(source, to: target) { done, all in
                        progress.show("copy: \(done) of \(all)")
                    }
                    progress.end()
                    let compared = try await settings.compareCheckpoints(target)
                    return (copied.log, copied.checkpoints, compared)
                }
            }
            for other in settings.otherEnvironments(at: from) {
                Terminal.note("warning: \(from) also holds \(other): --environment \(other)")
            }
            let environment = settings.environment.rawValue
            let count = report.position - report.presentCount
            return Output(
                text: "copied \(count.named("event", "events")) of \(environment) after position"
                    + " \(report.presentCount): position \(report.position), verified,"
                    + " root \(report.root.hexadecimal)\n" + compared.text + checkpoints.refusal,
                isClean: compared?.isSound != false && checkpoints.refusedCount == 0
            ) { json in
                json.member("environment", environment)
                json.member("copied", count)
                json.member("position", report.position)
                json.member("root", report.root)
                json.member("checkpointsRefused", Int64(checkpoints.refusedCount))
                compared.writeMember(to: &json)
            }
        }
    }

    struct AcceptCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Accept the database's log as it is now.",
            discussion: """
                For a log that went back, after a failover that lost events or from a backup: this \
                node forgets what it has seen, and rebuilds what it derived from it. Run it on \
                each node while its service is stopped, with the --data of that service; then \
                `recover` fetches what is missing.
                """)

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            guard settings.configuration.ledger.database != nil else {
                throw CommandFailure.noDatabase
            }
            let ledger = try await EnvironmentLedger.open(
                settings.configuration.ledger, environment: settings.environment, accepting: true)
            let session = try await settings.openSession(ledger)
            let head = try await closing(session.close) { session.head }
            return Output(
                text: "accepted in \(ledger.directory): the log ends at position \(head)\n"
            ) { json in
                json.member("position", head)
            }
        }
    }
}

extension CheckpointCopy.Report {
    /// The line about refused checkpoints; empty without any.
    var refusal: String {
        refusedCount == 0
            ? ""
            : "BAD  "
                + refusedCount.named(
                    "checkpoint refused: another of the same size is kept there",
                    "checkpoints refused: others of the same sizes are kept there") + "\n"
    }
}

extension Settings {
    /// Opens the log of the environment in a database or a data directory, while its nodes run.
    fileprivate func openLog(at place: String, isSource: Bool) async throws -> OpenedLog {
        guard !place.isEmpty else {
            throw CommandFailure.invalidOption(
                "--from and --to take a connection string or a directory.")
        }
        var configuration = configuration.ledger
        if Settings.isConnection(place) {
            configuration.database = .init(
                url: place, schema: configuration.database?.schema)
            try Settings.connect(&configuration.database)
            guard let engine = configuration.database?.engine else {
                throw CommandFailure.invalidOption("--from and --to: no database can be opened.")
            }
            return try await openLog(in: engine, creating: !isSource)
        }
        configuration.dataDirectory = place
        configuration.database = nil
        let directory = "\(place)/\(EnvironmentLedger.directoryName(environment))"
        guard try !isSource || EnvironmentLedger.hasLog(directory) else {
            throw Settings.noLog(directory)
        }
        return try await EnvironmentLedger.openLog(configuration, environment: environment)
    }

    /// Opens the log of the environment for a program that is not a node. Throws `noLog` where
    /// there is none and `creating` is false.
    func openLog(in engine: any LogEngine, creating: Bool) async throws -> OpenedLog {
        do throws(StoreError) {
            return try await engine.openBoth(environment, creating: creating)
        } catch {
            guard error.code == .noSuchFile else { throw error }
            throw Settings.noLog(error.path ?? "")
        }
    }

    /// The other environments whose logs are in a data directory; none for a database.
    fileprivate func otherEnvironments(at place: String) -> [String] {
        guard !Settings.isConnection(place) else { return [] }
        return Environment.allCases.filter { $0 != environment }
            .map { EnvironmentLedger.directoryName($0) }
            .filter { FileManager.default.fileExists(atPath: "\(place)/\($0)/log.sqlite") }
    }

    /// Throws `noLog` where the data directory has no log of the environment.
    func requireLog() async throws {
        let directory = environmentDirectory
        guard try !EnvironmentLedger.hasLog(directory) else { return }
        try await EnvironmentLedger.requireLog(directory)
        throw Settings.noLog(directory, hint: "; check --data, --environment and --config")
    }

    static func noLog(_ place: String, hint: String = "") -> CommandFailure {
        CommandFailure("noLog", "There is no log in \(place)\(hint).", .negative)
    }

    /// Whether a place is a connection string rather than a directory: a URI, or a word and `=` at
    /// the beginning. Also a malformed one: an error about a path would show its password.
    private static func isConnection(_ place: String) -> Bool {
        place.prefixMatch(of: #/postgres(ql)?://|\s*\w+\s*=/#) != nil
    }
}
