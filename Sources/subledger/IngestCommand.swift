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
            {"receivedAt"?:…,"signedTransactionInfo":…,"signedRenewalInfo"?:…}, an App Store \
            Server API response body, or a line of `export events --evidence`; from original \
            StoreKit an app receipt in base64 (a whole file also in binary or PEM), {"receipt":…} \
            or {"receipt-data":…}, a verifyReceipt response, or a version 1 notification, which \
            needs apps[].sharedSecretFile; the last two also as \
            {"receivedAt"?:…,"verifyReceipt":"…"} and {"receivedAt"?:…,"notificationV1":"…"}. For \
            a directory of stored receipts use `migrate-from verify-receipt`. Exit code 1 when \
            some input was rejected or quarantined.
            """)

    @Argument(help: "Files; - is standard input (the default).")
    var files: [String] = ["-"]

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try requireReadable()
            let settings = try Settings(common)
            let apps = try settings.requiredApps()
            // The process that writes into the pipe may not have created the trusted root yet.
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

    /// Checks that every input is readable before the first is ingested.
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
                    message: "\(file): \(reason). Nothing was ingested.", exit: .io)
            }
        }
    }

    private func failure(_ error: Ingest.Failure) -> CommandFailure {
        switch error {
        case .input(let path, let reason):
            CommandFailure(
                code: "unreadableInput",
                message: "\(path): \(reason). The input read before it is in the ledger.",
                exit: .io)
        case .store(let error): CommandFailure(error)
        }
    }

    private func print(_ summary: IngestSummary) throws {
        if common.json { return try Console.out { summary.write(to: &$0) } }
        // Identical errors are merged into one line.
        for error in GroupedMessages.gather(
            summary.errors.map { ($0.input, "\($0.code): \($0.message)") })
        {
            Console.note("\(error.placesText): \(error.text)".printable)
        }
        if summary.notKept > 0 {
            Console.note(
                "quarantine is full: \(summary.notKept) of them were not kept; ingest them again")
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
