import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Intake
import Ledger
import LedgerStore
import Projection
import SQLiteStore
import Service

struct RecoverCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            if last { return try await emitLast(settings) }
            let filter = try filter()
            let stated = try statedWindow()
            let app = try settings.askedApp(access)
            let transport = HTTPTransport()
            let ended: Result<Bool, any Error>
            do {
                let client = try settings.client(for: app, transport)
                ended = .success(
                    try await recover(
                        settings, client, settings.revocation(transport), stated, filter))
            } catch {
                ended = .failure(error)
            }
            await transport.close()
            guard try ended.get() else {
                throw ExitCode(CommandFailure.Exit.negative.rawValue)
            }
        }
    }

    private func recover(
        _ settings: Settings, _ client: AppStoreServerAPIClient, _ revocation: RevocationChecks?,
        _ stated: OutageDetection.Suggestion?, _ filter: [RecoveryType]
    ) async throws -> Bool {
        let ledger = try await EnvironmentLedger.open(
            settings.configuration.ledger, environment: settings.environment)
        let progress = ProgressLine()
        let projecting = CommandProjecting(ledger) { progress.show($0.text) }
        let ended: Result<Bool, any Error>
        do {
            var windows: [OutageDetection.Suggestion] = []
            var passedOver = false
            if suggested {
                _ = try await projecting.snapshot()
                let found = OutageDetection.parted(
                    try await OutageWatch(ledger: ledger, client: client) { Console.now }
                        .suggestions(), now: Console.now, in: settings.environment)
                for window in found.tooOld { Console.note(RecoveryText.tooOld(window)) }
                for window in found.reported { Console.note(RecoveryText.suggestion(window)) }
                (windows, passedOver) = (found.reported, !found.tooOld.isEmpty)
            }
            var isClean = true
            // Several windows become one; the time between them is then confirmed as well.
            if let window = stated ?? OutageDetection.hull(windows) {
                var request = RecoveryRequest(
                    bundleId: client.bundleId, environment: settings.environment,
                    from: window.from, to: window.to)
                // No end was stated, or one that is the current time.
                request.endsNow = to == nil && window.to.milliseconds(since: Console.now) > -60_000
                request.types = filter
                request.id = id
                request.onlyFailures = onlyFailures
                let recovery = Recovery(
                    request, ledger: ledger, client: client, apps: try settings.requiredApps(),
                    verifier: try settings.verifier(), revocation: revocation
                ) { Console.now }
                let report = try await RecoveryRun(
                    recovery, reporting: .caller(suggested: suggested ? windows : nil)
                ) { () async throws(StoreError) in
                    do throws(StoreError) { return try await projecting.snapshot() } catch {
                        throw error.adding(RecoverCommand.durableSentence)
                    }
                }.run { done in progress.show(RecoveryText.progress(done)) }
                progress.end()
                if report.to < window.to {
                    Console.note(
                        "This resumed an earlier recovery; run it again for what was sent from"
                            + " \(report.to.rfc3339) on.")
                }
                try print(report, windows)
                isClean = !report.isFlawed
            } else {
                try print(
                    UneventfulRecovery(
                        ledger, client.bundleId, at: try await projecting.snapshot()),
                    passedOver: passedOver)
            }
            ended = .success(isClean)
        } catch {
            progress.end()
            ended = .failure(error)
        }
        for remark in await projecting.remarks { Console.note("warning: \(remark)") }
        await projecting.close()
        do { return try ended.get() } catch let failure as RecoveryFailure {
            throw CommandFailure(failure)
        }
    }

    private static let durableSentence =
        "What was fetched is in the log; the same command resumes there and prints the"
        + " report."

    // MARK: Options

    private func statedWindow() throws(CommandFailure) -> OutageDetection.Suggestion? {
        if suggested {
            guard from == nil, to == nil else {
                throw CommandFailure(
                    code: "invalidOption",
                    message: "--suggested selects its windows: leave out --from and --to.",
                    exit: .usage)
            }
            return nil
        }
        guard let from else {
            throw CommandFailure(
                code: "invalidOption", message: "Give --from (and --to), or --suggested.",
                exit: .usage)
        }
        let start = try StatedTime.read(from, "from")
        let end = try to.map { text throws(CommandFailure) in
            try StatedTime.read(text, "to")
        }
        guard start < end ?? Console.now else {
            throw CommandFailure(
                code: "invalidTime", message: "--from must be before --to.", exit: .usage)
        }
        return OutageDetection.Suggestion(from: start, to: end ?? Console.now, reasons: [])
    }

    private func filter() throws(CommandFailure) -> [RecoveryType] {
        if let flaw = id.flatMap(IdList.flaw) {
            throw CommandFailure(
                code: "invalidOption", message: "--id takes a transaction id: \(flaw).",
                exit: .usage)
        }
        guard let types else { return [] }
        guard id == nil else {
            throw CommandFailure(
                code: "invalidOption",
                message: "Apple takes --types or --id, not both.", exit: .usage)
        }
        guard let read = RecoveryType.read(types) else {
            throw CommandFailure(
                code: "invalidOption",
                message: "--types takes Apple's notification types, e.g. DID_RENEW,EXPIRED or"
                    + " EXPIRED.VOLUNTARY.", exit: .usage)
        }
        return read
    }

    // MARK: The last one

    private func emitLast(_ settings: Settings) async throws {
        guard from == nil, to == nil, types == nil, id == nil, !suggested, !onlyFailures else {
            throw CommandFailure(
                code: "invalidOption",
                message: "--last prints a finished recovery: leave out every other option.",
                exit: .usage)
        }
        let ledger = try await EnvironmentLedger.open(
            settings.configuration.ledger, environment: settings.environment)
        let found: Result<KeptReport?, any Error>
        do {
            found = .success(
                try await ledger.operations.lastRecoveryReport(of: settings.bundleId))
        } catch { found = .failure(error) }
        await ledger.close()
        guard let report = try found.get() else {
            throw CommandFailure(
                code: "noRecoveryReport",
                message: "No recovery has finished here; `subledger recover --from T` starts one.",
                exit: .negative)
        }
        Console.note("This recovery of \(report.bundleId) finished at \(report.endedAt.rfc3339).")
        if common.json {
            try Console.out(Array((report.json + "\n").utf8))
        } else {
            try Console.out(report.text)
        }
        guard !report.isFlawed else {
            throw ExitCode(CommandFailure.Exit.negative.rawValue)
        }
    }

    // MARK: Printing

    private func print(_ nothing: UneventfulRecovery, passedOver: Bool) throws {
        guard common.json else {
            return try Console.out(
                passedOver ? UneventfulRecovery.tooOldText : UneventfulRecovery.text)
        }
        try Console.out { nothing.write(to: &$0) }
    }

    private func print(
        _ report: RecoveryReport, _ windows: [OutageDetection.Suggestion]
    ) throws {
        guard common.json else { return try Console.out(RecoveryText.report(report)) }
        try Console.out { report.write(to: &$0, suggested: suggested ? windows : nil) }
    }
}

extension CommandFailure {
    /// Apple's failures are phrased as in `api` commands.
    init(_ failure: RecoveryFailure) {
        switch failure {
        case .api(let reason):
            let reported = CommandFailure(reason)
            self.init(code: reported.code, message: failure.description, exit: reported.exit)
        case .store(let error): self.init(error)
        case .running:
            self.init(code: failure.code, message: failure.description, exit: .io)
        case .tooOld:
            self.init(code: failure.code, message: failure.description, exit: .negative)
        }
    }
}
