import AppStore
import ArgumentParser
import Intake
import Projection

struct IngestCommand: OutputCommand {
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

    @Argument(help: "Files; - is standard input (the default).", completion: .file())
    var files: [String] = ["-"]

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try requireReadable()
        let apps = try settings.requiredApps()
        // The process that writes into the pipe may not have created the trusted root yet.
        if files.contains("-") { await StandardInput.waitForFirstByte() }
        let verifier = try settings.verifier()
        let progress = ProgressLine()
        var summary = IngestSummary()
        var failure: (any Error)?
        do {
            failure = try await settings.appending { ledger in
                defer { progress.end() }
                try await Ingest(
                    ledger: ledger, apps: apps, verifier: verifier,
                    isEnvironmentNamed: settings.isEnvironmentNamed
                ) { Terminal.now }.run(paths: files, into: &summary) { done in
                    progress.show("ingest: \(done.read) read, position \(done.position)")
                }
            }.failure
        } catch let error as Ingest.Failure { failure = error }
        return Output(
            json: summary.write(to:),
            text: "read \(summary.read): \(summary.countsText); log position"
                + " \(summary.position)\n", notes: summary.notes, isClean: summary.isClean,
            failure: failure)
    }

    /// Checks that every input is readable before the first is ingested.
    private func requireReadable() throws {
        for file in files where file != "-" {
            guard let reason = InputFile.obstacle(file) else { continue }
            throw CommandFailure(
                "unreadableInput", "\(file): \(reason). Nothing was ingested.", .io)
        }
    }
}
