import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Intake
import Ledger
import LedgerStore
import Projection
import SQLiteStore

struct RecoverCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Fetch what Apple sent in a window, and append what is missing.",
        discussion: """
            Fetches Apple's notification history (180 days back in Production, 30 in Sandbox), \
            first renewals and expiries, then everything, and reports what was missing and what it \
            changed. After an interruption the same command resumes. Exit code 1 when a \
            notification could not be appended. The last five minutes are not confirmed, because \
            Apple's history may not show them yet.
            """)

    @Option(help: "Sent at or after: RFC 3339, a day (midnight UTC) or milliseconds since 1970.")
    var from: String?

    @Option(help: "Sent before (default: now).")
    var to: String?

    @Flag(help: "Use the windows of suspected loss from outage detection.")
    var suggested = false

    @Option(
        help: ArgumentHelp(
            "Only these: TYPE with all subtypes, or TYPE.SUBTYPE; comma-separated.",
            valueName: "types"))
    var types: String?

    @Option(help: "Only the customer with this transaction id.")
    var id: String?

    @Flag(help: "Only notifications that Apple could not deliver.")
    var onlyFailures = false

    @Flag(help: "Print the report of the last finished recovery; sends no requests.")
    var last = false

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        if last { return try await lastReport(settings) }
        let filter = try filter()
        let stated = try statedWindow()
        return try await settings.withApple(access) { apple in
            let client = try apple.client()
            let ledger = try await settings.openLedger()
            return try await settings.withProjecting(ledger) { projecting, progress in
                try await recover(
                    settings, ledger, client, apple.revocation, stated, filter, projecting,
                    progress)
            }
        }
    }

    private func recover(
        _ settings: Settings, _ ledger: EnvironmentLedger, _ client: AppStoreServerAPIClient,
        _ revocation: RevocationChecks?, _ stated: OutageDetection.Suggestion?,
        _ filter: [RecoveryType],
        _ projecting: CommandProjecting, _ progress: ProgressLine
    ) async throws -> Output {
        var windows: [OutageDetection.Suggestion] = []
        var passedOver = false
        if suggested {
            _ = try await projecting.snapshot()
            let found = OutageDetection.partitioned(
                try await OutageWatch(ledger: ledger, client: client) { Terminal.now }
                    .suggestions(), now: Terminal.now, in: settings.environment)
            for window in found.tooOld { Terminal.note(RecoveryText.tooOld(window)) }
            for window in found.reported { Terminal.note(RecoveryText.suggestion(window)) }
            (windows, passedOver) = (found.reported, !found.tooOld.isEmpty)
        }
        // Several windows become one; the time between them is then confirmed as well.
        guard let window = stated ?? OutageDetection.hull(windows) else {
            let head = try await projecting.snapshot().position
            let last = try await ledger.log.lastArrival(
                of: client.bundleId, through: Terminal.now, upTo: head)
            let state = ledger.completeness.state(of: client.bundleId)
            let nothing = RecoveryReport(
                complete: ledger.complete(of: client.bundleId, .everything, head: head),
                position: head)
            return Output(
                json: { nothing.write(to: &$0, suggested: []) },
                text: RecoveryText.nothing(
                    isTooOld: passedOver, hasDeliveries: last != nil,
                    versionOneAt: state?.window == nil ? state?.versionOneAt : nil,
                    complete: nothing.complete))
        }
        var request = RecoveryRequest(
            bundleId: client.bundleId, environment: settings.environment,
            from: window.from, to: window.to)
        // `--to` is absent, and the window ends now: a suggested one may have ended earlier.
        request.endsNow = to == nil && window.to.milliseconds(since: Terminal.now) > -60_000
        request.types = filter
        request.id = id
        request.onlyFailures = onlyFailures
        // Starts by the end of the confirmed window, which the sweep then extends.
        if stated == nil, request.isWhole,
            let end = ledger.completeness.swept(client.bundleId)?.through
        {
            request.from = min(request.from, end)
        }
        let recovery = Recovery(
            request, ledger: ledger, client: client, apps: try settings.requiredApps(),
            verifier: try settings.verifier(), revocation: revocation
        ) { Terminal.now }
        let proposed = suggested ? windows : nil
        let report = try await RecoveryRun(recovery, reporting: .caller(suggested: proposed)) {
            () async throws(StoreError) in
            do throws(StoreError) { return try await projecting.snapshot() } catch {
                throw error.adding(RecoverCommand.durableSentence)
            }
        }.run { done in progress.show(RecoveryText.progress(done)) }
        progress.end()
        return Output(
            json: { report.write(to: &$0, suggested: proposed) },
            text: RecoveryText.report(report), isClean: !report.isFlawed)
    }

    private static let durableSentence =
        "What was fetched is in the log; the same command resumes there and prints the"
        + " report."

    // MARK: Options

    private func statedWindow() throws(CommandFailure) -> OutageDetection.Suggestion? {
        if suggested {
            guard from == nil, to == nil else {
                throw CommandFailure.invalidOption(
                    "--suggested selects its windows: leave out --from and --to.")
            }
            return nil
        }
        guard let from else {
            throw CommandFailure.invalidOption("Give --from (and --to), or --suggested.")
        }
        let start = try MomentOptions.time(from, "--from")
        let end = try to.map { text throws(CommandFailure) in
            try MomentOptions.time(text, "--to")
        }
        guard start < end ?? Terminal.now else {
            throw CommandFailure("invalidTime", "--from must be before --to.", .usage)
        }
        return OutageDetection.Suggestion(from: start, to: end ?? Terminal.now, reasons: [])
    }

    private func filter() throws(CommandFailure) -> [RecoveryType] {
        if let flaw = id.flatMap(IdList.flaw) {
            throw CommandFailure.invalidOption("--id takes a transaction id: \(flaw).")
        }
        guard let types else { return [] }
        guard id == nil else {
            throw CommandFailure.invalidOption("Apple takes --types or --id, not both.")
        }
        guard let read = RecoveryType.read(types) else {
            throw CommandFailure.invalidOption(
                "--types takes Apple's notification types, e.g. DID_RENEW,EXPIRED or"
                    + " EXPIRED.VOLUNTARY.")
        }
        return read
    }

    // MARK: The last one

    private func lastReport(_ settings: Settings) async throws -> Output {
        guard from == nil, to == nil, types == nil, id == nil, !suggested, !onlyFailures else {
            throw CommandFailure.invalidOption(
                "--last prints a finished recovery: leave out every other option.")
        }
        let found = try await settings.withLedger {
            try await $0.operations.lastRecoveryReport(of: settings.bundleId)
        }
        guard let report = found else {
            throw CommandFailure(
                "noRecoveryReport",
                "No recovery has finished here; `subledger recover --from T` starts one.",
                .negative)
        }
        Terminal.note("This recovery of \(report.bundleId) finished at \(report.endedAt.rfc3339).")
        return Output(
            json: { $0.raw(report.json.utf8) }, text: report.text, isClean: !report.isFlawed)
    }
}
