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

    struct VerifyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Recompute every hash and the Merkle tree; exit code 1 on any finding.")

        @Flag(help: "Also verify every signature again, at its signedDate.")
        var signatures = false

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let verifier = signatures ? try settings.verifier() : nil
                let directory = settings.environmentDirectory
                if !FileManager.default.fileExists(atPath: "\(directory)/\(EventLog.fileName)") {
                    // EnvironmentLedger.open decides whether a log may be created here.
                    try await EnvironmentLedger
                        .open(settings.configuration.ledger, environment: settings.environment)
                        .close()
                    Console.note(
                        "warning: there was no log at \(directory)/\(EventLog.fileName); an"
                            + " empty one was created. Check --data and --config.")
                }
                let report = try await audit(directory, verifier, settings.configuration.apps)
                try print(report)
                if !report.isSound { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
            }
        }

        /// Audits a copy when the log's directory is read-only.
        private func audit(
            _ directory: String, _ verifier: EvidenceVerifier?, _ apps: [Configuration.App]
        ) async throws -> Audit.Report {
            if CopiedLog.isNeeded(for: directory) {
                let copy = try await CopiedLog.open(directory)
                do {
                    let report = try await audit(copy.log, directory, verifier, apps)
                    await copy.close()
                    return report
                } catch {
                    await copy.close()
                    throw error
                }
            }
            let log = try await EventLog.open(directory: directory)
            let report = try await audit(log, directory, verifier, apps)
            await log.close()
            return report
        }

        private func audit(
            _ log: EventLog, _ directory: String, _ verifier: EvidenceVerifier?,
            _ apps: [Configuration.App]
        ) async throws -> Audit.Report {
            let progress = ProgressLine()
            let report = try await Audit(log: log, directory: directory)
                .verify(verifier: verifier, apps: apps) { progress.show($0.text) }
            progress.end()
            return report
        }

        private func print(_ report: Audit.Report) throws {
            if common.json { return try Console.out { write(report, to: &$0) } }
            try emit(
                report.log.findings.map { ($0.position.map(String.init), $0.code.rawValue) })
            try emit(
                report.signatureFindings.map { ("\($0.position)", "\($0.code): \($0.message)") })
            if let omitted = report.omittedCount {
                try Console.out("BAD  \(omitted) more findings\n")
            }
            if report.projectionsMatch == false {
                try Console.out("BAD  the projections' checkpoint does not match this log\n")
            }
            if let failure = report.projectionsFailure {
                Console.note("warning: derived data could not be compared with the log: \(failure)")
            }
            let root = report.log.head?.root.hexadecimal ?? "none"
            var signatures = report.signaturesVerified.map {
                ", \($0) events' signatures verified"
            }
            if let count = report.signaturesNotVerifiable, count > 0 {
                signatures?.append(
                    ", \(count) version 1 notifications could not be verified: no configured"
                        + " shared secret matches")
            }
            try Console.out(
                "\(report.isSound ? "sound" : "NOT SOUND"): \(report.log.eventCount) events,"
                    + " \(report.log.tombstoneCount) of them tombstones without evidence"
                    + "\(signatures ?? ""), root \(root)\n")
        }

        /// Identical findings are merged into one line.
        private func emit(_ findings: [(place: String?, text: String)]) throws {
            for finding in GroupedMessages.gather(findings) {
                let name = finding.count == 1 ? "position" : "positions"
                let place = finding.places.isEmpty ? "" : "\(name) \(finding.placesText): "
                try Console.out("BAD  \(place)\(finding.text)\n")
            }
        }

        private func write(_ report: Audit.Report, to json: inout JSONWriter) {
            json.object { json in
                json.member("sound", report.isSound)
                json.member("events", report.log.eventCount)
                json.member("tombstones", report.log.tombstoneCount)
                json.member("position", report.log.head?.position)
                json.member("root", report.log.head?.root)
                json.member("projectionsMatch", report.projectionsMatch)
                json.member("projectionsError", report.projectionsFailure?.code.rawValue)
                json.member("signaturesVerified", report.signaturesVerified)
                json.member("signaturesNotVerifiable", report.signaturesNotVerifiable)
                json.array("findings", report.log.findings) { json, finding in
                    json.object { json in
                        json.member("position", finding.position)
                        json.member("code", finding.code.rawValue)
                    }
                }
                json.array("signatureFindings", report.signatureFindings) { json, finding in
                    json.object { json in
                        json.member("position", finding.position)
                        json.member("code", finding.code)
                        json.member("message", finding.message)
                    }
                }
                json.member(
                    "findingsOmitted",
                    report.omittedCount ?? 0)
            }
        }
    }
}

extension Audit.Report {
    /// Findings dropped because a list was full; nil if none were.
    fileprivate var omittedCount: Int64? {
        let count = log.findingsOmitted + Int64(signatureFindingsOmitted)
        return count > 0 ? count : nil
    }
}

extension Settings {
    /// Directory of the environment's files.
    fileprivate var environmentDirectory: String {
        "\(configuration.dataDirectory)/\(EnvironmentLedger.directoryName(environment))"
    }
}
