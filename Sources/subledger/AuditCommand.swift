import AppStore
import ArgumentParser
import Intake
import LedgerStore
import Projection
import Proofs
import SQLiteStore
import Service
import Signing

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check that the log is intact and unaltered.",
        subcommands: [
            VerifyCommand.self, KeygenCommand.self, CheckpointCommand.self, ProveCommand.self,
            CheckCommand.self,
        ])

    struct VerifyCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Recompute every hash and the Merkle tree; exit code 1 on any finding.")

        @Flag(help: "Also verify every signature again, at its signedDate.")
        var signatures = false

        @Option(help: "Also compare the log with a checkpoint from elsewhere.", completion: .file())
        var against: String?

        @Option(help: "The verifier key of checkpoints (default: that of the configured key).")
        var key: String?

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let verifier = signatures ? try settings.verifier() : nil
            let directory = settings.environmentDirectory
            let kept = try against.map { try VerifyCommand.note($0) }
            let key = try key.map { try NoteVerifierKey($0) } ?? configuredKey(settings)
            return try await withLog(settings, directory) { log, operations in
                let report = try await audit(log, directory, verifier, settings)
                let checkpoints = try await compare(log, operations, kept, key, settings)
                let warning = report.projectionsFailure.map {
                    "warning: derived data could not be compared with the log: \($0)"
                }
                // A key is named to be relied on: a rewritten log may be signed by another one.
                let extends = checkpoints?.isSound != false
                let signedCount = checkpoints?.signedCount ?? 0
                let isUnsigned = extends && self.key != nil && signedCount == 0
                let unsigned = "BAD  no checkpoint that the key of --key signed was compared\n"
                return Output(
                    text: report.text + checkpoints.text + (isUnsigned ? unsigned : ""),
                    notes: warning.map { [$0] } ?? [],
                    isClean: report.isSound && extends && !isUnsigned
                ) { json in
                    report.writeMembers(to: &json)
                    checkpoints.writeMember(to: &json)
                }
            }
        }

        private func configuredKey(
            _ settings: Settings
        ) throws(CommandFailure) -> NoteVerifierKey? {
            do throws(ConfigurationError) {
                return try settings.configuration.auditKey(settings.environment)
            } catch {
                throw CommandFailure(
                    error.code, "\(error) Or name the verifier key with --key.", .configuration)
            }
        }

        /// The comparison with the checkpoints; nil where there are none.
        private func compare(
            _ log: any LedgerLog, _ operations: (any OperationalState)?, _ kept: SignedNote?,
            _ key: NoteVerifierKey?, _ settings: Settings
        ) async throws -> CheckpointAudit.Report? {
            let report = try await CheckpointAudit(
                log, operations: operations, key: key,
                witnesses: settings.configuration.witnessKeys(settings.environment)
            ).run(against: kept)
            if report != nil, key == nil {
                Terminal.note(
                    "warning: the log's signatures of checkpoints are not checked; name the"
                        + " verifier key with --key.")
            }
            return report
        }

        /// Opens the log: the database's, the directory's, or a copy where the directory is
        /// read-only; a copy has no checkpoints.
        private func withLog(
            _ settings: Settings, _ directory: String,
            _ body: (any LedgerLog, (any OperationalState)?) async throws -> Output
        ) async throws -> Output {
            if let engine = settings.configuration.ledger.database?.engine {
                // Not as this node, whose log may have gone back.
                let opened = try await settings.openLog(in: engine, creating: false)
                return try await closing(opened.close) {
                    try await body(opened.log, opened.operations)
                }
            }
            try await settings.requireLog()
            if CopiedLog.isNeeded(for: directory) {
                Terminal.note(
                    "warning: in a directory that cannot be written, checkpoints that were kept are"
                        + " not compared; --against takes one.")
                let copy = try await CopiedLog.open(directory)
                return try await closing(copy.close) { try await body(copy.log, nil) }
            }
            let log = try await EventLog.open(directory: directory)
            return try await closing(log.close) {
                // An audit begins no file anew: the next command that does says so.
                guard !OperationsStore.isMissing(in: directory) else {
                    return try await body(log, nil)
                }
                let operations = try await OperationsStore.open(directory: directory)
                return try await closing(operations.close) { try await body(log, operations) }
            }
        }

        private func audit(
            _ log: any LedgerLog, _ directory: String, _ verifier: EvidenceVerifier?,
            _ settings: Settings
        ) async throws -> Audit.Report {
            let progress = ProgressLine()
            // The log is verified as a whole, also where --bundle-id names one app.
            let apps = settings.configuration.apps + settings.configuration.ledger.otherApps
            let report = try await Audit(
                log: log, directory: directory, environment: settings.environment
            ).verify(verifier: verifier, apps: apps) {
                progress.show($0.text)
            }
            progress.end()
            return report
        }

        /// A checkpoint in a file.
        private static func note(_ file: String) throws -> SignedNote {
            let bound = SignedNote.maximumByteCount
            let content = InputFile.readFile(file, limit: bound)
            guard let bytes = content, bytes.count <= bound else {
                let reason =
                    content == nil
                    ? InputFile.obstacle(file) ?? "it cannot be read"
                    : "it is larger than \(bound) bytes"
                throw CommandFailure(
                    "unreadableFile", "--against: \(file): \(reason); correct the path.", .io)
            }
            return try SignedNote(String(decoding: bytes, as: UTF8.self))
        }
    }
}

extension Audit.Report {
    fileprivate var text: String {
        var lines = Audit.Report.lines(
            log.findings.map { ($0.position.map(String.init), $0.text) })
        lines += Audit.Report.lines(
            signatureFindings.map { ("\($0.position)", "\($0.code): \($0.message)") })
        if omittedCount > 0 {
            lines.append("BAD  \(omittedCount.named("more finding", "more findings"))")
        }
        if projectionsMatch == false {
            lines.append("BAD  derived data or this node has read events that this log lacks")
        }
        var signatures = signaturesVerified.map {
            ", \($0.named("event's signature", "events' signatures")) verified"
        }
        if let count = signaturesNotVerifiable, count > 0 {
            signatures?.append(
                ", "
                    + count.named("version 1 notification", "version 1 notifications")
                    + " could not be verified: no configured shared secret matches")
        }
        let root = log.head?.root.hexadecimal ?? "none"
        lines.append(
            "\(isSound ? "sound" : "NOT SOUND"): \(log.eventCount.named("event", "events")),"
                + " \(log.tombstoneCount) of them tombstones without evidence"
                + "\(signatures ?? ""), root \(root)")
        return lines.map { $0 + "\n" }.joined()
    }

    /// Identical findings are merged into one line.
    private static func lines(_ findings: [(place: String?, text: String)]) -> [String] {
        GroupedMessages.gather(findings).map { finding in
            let name = finding.count == 1 ? "position" : "positions"
            let place = finding.places.isEmpty ? "" : "\(name) \(finding.placesText): "
            return "BAD  \(place)\(finding.text)"
        }
    }
}

extension CheckpointAudit.Report? {
    /// Empty where no checkpoint is kept.
    var text: String {
        guard let self else { return "" }
        let signed = self.signedCount.map { ", \($0) of them signed by the key" } ?? ""
        return self.findings.map { "BAD  \($0.text)\n" }.joined()
            + (self.isSound ? "extends" : "DOES NOT EXTEND")
            + ": \(self.checkpointCount.named("checkpoint", "checkpoints"))\(signed)\n"
    }
}

extension Settings {
    /// Compares a copy of a log with the checkpoints that are kept with it; nil where there are
    /// none. The copy is in place by now, so a key that cannot be used is a warning.
    func compareCheckpoints(_ opened: OpenedLog) async throws -> CheckpointAudit.Report? {
        var key: NoteVerifierKey?
        var failure: ConfigurationError?
        do throws(ConfigurationError) { key = try configuration.auditKey(environment) } catch {
            failure = error
        }
        let report = try await CheckpointAudit(
            opened.log, operations: opened.operations, key: key,
            witnesses: configuration.witnessKeys(environment)
        ).run()
        if report != nil, let failure {
            Terminal.note(
                "warning: the log's signatures of checkpoints are not checked: \(failure) Then run"
                    + " subledger audit verify.")
        }
        return report
    }

    /// Directory of the environment's files.
    var environmentDirectory: String {
        EnvironmentLedger.directory(configuration.ledger, environment)
    }
}
