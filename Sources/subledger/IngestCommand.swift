import AppStore
import ArgumentParser
import Foundation
import Intake
import Projection
import Queries
import Service

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Verify evidence and append it to the ledger.",
        discussion: """
            Each input line (or whole JSON file) is a compact JWS, a notification body \
            {"signedPayload":…}, {"receivedAt":…,"signedPayload":…}, \
            {"receivedAt"?:…,"signedTransactionInfo":…,"signedRenewalInfo"?:…}, an App Store Server \
            API response body, or a line of `export events --evidence`; of original StoreKit an app \
            receipt in base64 (a file that is one also binary or PEM), {"receipt":…} or {"receipt-data":…}, an answer of verifyReceipt, or a \
            version 1 notification, which needs apps[].sharedSecretFile; the last two also as \
            {"receivedAt"?:…,"verifyReceipt":"…"} and {"receivedAt"?:…,"notificationV1":"…"}. \
            Stored receipts by the directory: `migrate-from verify-receipt`. Exit code 1 when some input was rejected or quarantined.
            """)

    @Argument(help: "Files; - is standard input (the default).")
    var files: [String] = ["-"]

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try requireReadable()
            let settings = try Settings(common)
            let apps = try settings.requiredApps()
            // Whoever writes into the pipe may be making the trusted root only now.
            if files.contains("-") { await StandardInput.waitForFirstByte() }
            let verifier = try settings.verifier()
            let ledger = try await EnvironmentLedger.open(
                settings.configuration.ledger, environment: settings.environment)
            let progress = ProgressLine()
            let ingest = Ingest(
                ledger: ledger, apps: apps, verifier: verifier,
                isEnvironmentNamed: settings.isEnvironmentNamed
            ) { Console.now }
            var summary = IngestSummary()
            do throws(Ingest.Failure) {
                try await ingest.run(paths: files, into: &summary) { done in
                    progress.show("ingest: \(done.read) read, position \(done.position)")
                }
            } catch {
                progress.end()
                try print(summary)
                throw failure(error)
            }
            progress.end()
            let derived = await settings.catchUp(appended: ledger)
            try print(summary)
            try derived.get()
            if !summary.isClean { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
        }
    }

    /// Every input is looked at before the first is taken in.
    private func requireReadable() throws {
        for file in files where file != "-" {
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
            let isReadable = FileManager.default.isReadableFile(atPath: file)
            guard exists, isReadable, !isDirectory.boolValue else {
                let reason =
                    !exists
                    ? "there is no such file"
                    : isDirectory.boolValue ? "it is a directory" : "it cannot be read"
                throw CommandFailure(
                    code: "unreadableInput",
                    message: "\(file): \(reason). Nothing was taken in.", exit: .io)
            }
        }
    }

    private func failure(_ error: Ingest.Failure) -> CommandFailure {
        switch error {
        case .input(let path, let reason):
            CommandFailure(
                code: "unreadableInput",
                message: "\(path): \(reason). What was read before it is in the ledger.",
                exit: .io)
        case .store(let error): CommandFailure(error)
        }
    }

    private func print(_ summary: IngestSummary) throws {
        if common.json { return try Console.out { summary.write(to: &$0) } }
        // Errors that say the same are one line.
        for error in Gathered.gather(
            summary.errors.map { ($0.input, "\($0.code): \($0.message)") })
        {
            Console.note("\(error.placesText): \(error.text)".printable)
        }
        if summary.notKept > 0 {
            Console.note(
                "\(summary.notKept) of them found no room in quarantine: ingest them again")
        }
        if summary.errorsOmitted > 0 { Console.note("… and \(summary.errorsOmitted) more") }
        try Console.out(
            """
            read \(summary.read): \(summary.appended) appended, \(summary.duplicates) duplicates, \
            \(summary.conflicts) conflicts, \(summary.rejected) rejected, \
            \(summary.quarantined) quarantined; log position \(summary.position)

            """)
    }
}
