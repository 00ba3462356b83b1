import AppStore
import ArgumentParser
import Intake
import LedgerStore
import Projection
import Proofs
import SQLiteStore
import Service

struct RestoreCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the log by a backup.",
        discussion: """
            Copies the backup and checks every hash before any file is touched, then rebuilds \
            derived data. A log that has events is replaced only with --replace; the old log then \
            stays in the directory as log-replaced-TIME.sqlite, and no other process may have it \
            open. Checkpoints in the backup are added to those that are kept; exit code 1 where \
            the log does not extend all of them.
            """)

    @Argument(help: "A file that backup wrote.", completion: .file())
    var file: String

    @Flag(help: "Replace an existing log; it is kept under another name.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "Apply these erasures again: the output of log erasures.", valueName: "file"),
        completion: .file())
    var erasures: String?

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let records = try erasures.map { try Self.records($0) } ?? []
        let progress = ProgressLine()
        let outcome = try await EnvironmentLedger.restore(
            settings.configuration.ledger, environment: settings.environment, from: file,
            replaces: replace, now: Terminal.now, erasures: records
        ) { step in
            switch step {
            case .copying(let done, let all): progress.show("copy: \(done) of \(all)")
            case .verifying(let done, let all): progress.show("verify: \(done) of \(all)")
            }
        }
        progress.end()
        let (report, environment) = (outcome.restored, settings.environment.rawValue)
        var before: Int64?
        let old: String
        // A `log erasures` that failed leaves an empty file, too.
        var areErasuresUnknown = records.isEmpty
        switch report.before {
        case nil: old = "there was no log"
        case .position(let position):
            before = position
            old = "the log there ended at position \(position)"
            // A log that is shorter than the backup, or another one, was begun again or lost its
            // end.
            areErasuresUnknown =
                areErasuresUnknown && (position < report.head.position || report.isOfOtherLog)
        case .unreadable:
            old = "the log there cannot be read: erasures that only it states are not applied"
        }
        // Whatever fails below, the log is in place.
        var compared: CheckpointAudit.Report?
        var failure: (any Error)?
        do { compared = try await compare(settings) } catch { failure = error }
        if let failed = outcome.failure {
            let message =
                "The log is restored, but derived data could not be rebuilt, or idempotency keys of"
                + " uploads could not be removed: "
            failure = CommandFailure(failed.code, message + failed.description, .io)
        }
        let unaware = areErasuresUnknown ? "\(Self.unaware)\n" : ""
        let kept = report.setAside.map { "the replaced log is kept as \($0)\n" }
        let erased = report.erasureCount > 0 ? "erased again: \(report.erasureCount)\n" : ""
        let more = [unaware, erased, kept ?? "", compared.text, report.checkpoints.refusal].joined()
        return Output(
            text: "restored \(environment) from \(file):"
                + " \(report.head.position.named("event", "events")), verified,"
                + " root \(report.head.root.hexadecimal); \(old)\n" + more,
            isClean: compared?.isSound != false && report.checkpoints.refusedCount == 0,
            failure: failure
        ) { json in
            json.member("file", file)
            json.member("environment", environment)
            json.member("positionBefore", before)
            json.member("position", report.head.position)
            json.member("root", report.head.root)
            json.member("setAside", report.setAside)
            json.member("erasedAgain", Int64(report.erasureCount))
            json.member("erasuresUnknown", areErasuresUnknown)
            json.member("checkpointsRefused", Int64(report.checkpoints.refusedCount))
            compared.writeMember(to: &json)
        }
    }

    private static let unaware =
        "warning: erasures since the backup are not known and were not applied again: the persons"
        + " erased since then are in the log. Restore again with --erasures FILE, a file that"
        + " `subledger log erasures` printed after those erasures (with --replace, unless it is a"
        + " database), or erase them again."

    /// Compares the log that is in place with every checkpoint that is kept.
    private func compare(_ settings: Settings) async throws -> CheckpointAudit.Report? {
        let opened = try await EnvironmentLedger.openLog(
            settings.configuration.ledger, environment: settings.environment)
        return try await closing(opened.close) { try await settings.compareCheckpoints(opened) }
    }

    /// The largest file of erasures that is read.
    private static let erasuresByteCount = 1 << 30

    /// The erasures in a file of `log erasures`.
    private static func records(_ path: String) throws -> [ErasureRecord] {
        let refusal = CommandFailure.invalidOption(
            "--erasures: \(path) is no output of `subledger log erasures`.")
        guard let bytes = InputFile.readFile(path, limit: erasuresByteCount),
            bytes.count <= erasuresByteCount
        else {
            throw CommandFailure(
                "unreadableFile",
                "--erasures: \(path) cannot be read, or has more than 1 GiB; check the path.", .io)
        }
        return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
            guard let record = ErasureRecord(line: Array(line)) else { throw refusal }
            return record
        }
    }
}
