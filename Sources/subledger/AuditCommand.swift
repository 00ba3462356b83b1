import AppStore
import ArgumentParser
import LedgerService
import LedgerStore

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Prove that the ledger is what it was.",
        subcommands: [VerifyCommand.self])

    struct VerifyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Recompute every hash and the tree; exit code 1 when something is wrong.")

        @Flag(help: "Also verify every signature again, at its signedDate.")
        var signatures = false

        @OptionGroup var common: SharedOptions

        func run() async throws {
            try await perform {
                let settings = try Settings(common)
                let verifier = signatures ? try settings.verifier() : nil
                let session = try await settings.openSession()
                let progress = ProgressLine()
                let audit = Audit(ledger: session.ledger)
                let report = try await audit.verify(
                    projections: session.projections, hasDiverged: session.hasDiverged,
                    verifier: verifier
                ) { done in
                    progress.show(done.text)
                }
                progress.end()
                try print(report)
                await session.close()
                if !report.isSound { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
            }
        }

        private func print(_ report: Audit.Report) throws {
            if common.json { return try Console.out { write(report, to: &$0) } }
            for finding in report.log.findings {
                let place = finding.position.map { "position \($0): " } ?? ""
                try Console.out("BAD  \(place)\(finding.code.rawValue)\n")
            }
            for finding in report.signatureFindings {
                try Console.out(
                    "BAD  position \(finding.position): \(finding.code): \(finding.message)\n")
            }
            if !report.projectionsMatch {
                try Console.out("BAD  the projections' checkpoint was not of this log\n")
            }
            let root = report.log.head?.root.hexadecimal ?? "none"
            let signatures = report.signaturesVerified.map { ", \($0) events' signatures verified" }
            try Console.out(
                "\(report.isSound ? "sound" : "NOT SOUND"): \(report.log.eventCount) events"
                    + "\(signatures ?? ""), root \(root)\n")
        }

        private func write(_ report: Audit.Report, to json: inout JSONWriter) {
            json.object { json in
                json.member("sound", report.isSound)
                json.member("events", report.log.eventCount)
                json.member("tombstones", report.log.tombstoneCount)
                json.member("position", report.log.head?.position)
                json.member("root", report.log.head?.root)
                json.member("projectionsMatch", report.projectionsMatch)
                json.member("signaturesVerified", report.signaturesVerified)
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
                    report.log.findingsOmitted + Int64(report.signatureFindingsOmitted))
            }
        }
    }
}
