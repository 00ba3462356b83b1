import AppStore
import ArgumentParser
import Foundation
import Intake
import LedgerStore
import Projection
import SQLiteStore
import Service
import Signing

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check that the log is intact and unaltered.",
        subcommands: [VerifyCommand.self])

    struct VerifyCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Recompute every hash and the Merkle tree; exit code 1 on any finding.")

        @Flag(help: "Also verify every signature again, at its signedDate.")
        var signatures = false

        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let verifier = signatures ? try settings.verifier() : nil
            let directory = settings.environmentDirectory
            if settings.configuration.ledger.database != nil {
                let log = try await EnvironmentLedger.openLog(
                    settings.configuration.ledger, environment: settings.environment)
                return AuditCommand.output(
                    try await closing(log.close) {
                        try await audit(log.log, directory, verifier, settings.configuration.apps)
                    })
            }
            if !FileManager.default.fileExists(atPath: "\(directory)/\(EventLog.fileName)") {
                // EnvironmentLedger.open decides whether a log may be created here.
                try await settings.openLedger().close()
                Terminal.note(
                    "warning: there was no log at \(directory)/\(EventLog.fileName); an"
                        + " empty one was created. Check --data and --config.")
            }
            let report = try await audit(directory, verifier, settings.configuration.apps)
            return AuditCommand.output(report)
        }

        /// Audits a copy when the log's directory is read-only.
        private func audit(
            _ directory: String, _ verifier: EvidenceVerifier?, _ apps: [Configuration.App]
        ) async throws -> Audit.Report {
            if CopiedLog.isNeeded(for: directory) {
                let copy = try await CopiedLog.open(directory)
                return try await closing(copy.close) {
                    try await audit(copy.log, directory, verifier, apps)
                }
            }
            let log = try await EventLog.open(directory: directory)
            return try await closing(log.close) {
                try await audit(log, directory, verifier, apps)
            }
        }

        private func audit(
            _ log: any LedgerLog, _ directory: String, _ verifier: EvidenceVerifier?,
            _ apps: [Configuration.App]
        ) async throws -> Audit.Report {
            let progress = ProgressLine()
            let report = try await Audit(log: log, directory: directory)
                .verify(verifier: verifier, apps: apps) { progress.show($0.text) }
            progress.end()
            return report
        }
    }

    fileprivate static func output(_ report: Audit.Report) -> Output {
        Output(
            text: report.text,
            notes: report.projectionsFailure.map {
                ["warning: derived data could not be compared with the log: \($0)"]
            } ?? [], isClean: report.isSound, members: report.writeMembers(to:))
    }
}

extension Audit.Report {
    fileprivate var text: String {
        var lines = Audit.Report.lines(
            log.findings.map { ($0.position.map(String.init), $0.code.rawValue) })
        lines += Audit.Report.lines(
            signatureFindings.map { ("\($0.position)", "\($0.code): \($0.message)") })
        if omittedCount > 0 { lines.append("BAD  \(omittedCount) more findings") }
        if projectionsMatch == false {
            lines.append("BAD  the projections' checkpoint does not match this log")
        }
        var signatures = signaturesVerified.map { ", \($0) events' signatures verified" }
        if let count = signaturesNotVerifiable, count > 0 {
            signatures?.append(
                ", \(count) version 1 notifications could not be verified: no configured"
                    + " shared secret matches")
        }
        let root = log.head?.root.hexadecimal ?? "none"
        lines.append(
            "\(isSound ? "sound" : "NOT SOUND"): \(log.eventCount) events,"
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

extension Settings {
    /// Directory of the environment's files.
    fileprivate var environmentDirectory: String {
        "\(configuration.dataDirectory)/\(EnvironmentLedger.directoryName(environment))"
    }
}
