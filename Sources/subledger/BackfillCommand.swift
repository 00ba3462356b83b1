import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import LedgerStore
import Projection

struct BackfillCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Fetch the histories of listed customers from Apple.",
        discussion: """
            Takes ids of customers, one per line, or a CSV export of RevenueCat or Adapty, whose \
            id column is found by its header. Requests statuses, transactions and refunds of each \
            customer within Apple's rate limits, and appends what verifies. After an interruption \
            the same command resumes, and retries ids with transient failures; after completion it \
            starts over and fetches current statuses and what was added to histories or changed \
            since. Exit code 1 when Apple does not know an id, a request failed, or a line held \
            no id.
            """)

    @Argument(
        help: ArgumentHelp("A file; - is standard input (the default).", valueName: "ids-file"),
        completion: .file())
    var file = "-"

    @Flag(help: "Discard the progress of an earlier run of the same list.")
    var restart = false

    @Flag(
        inversion: .prefixedNo,
        help:
            "Also fetch refund histories, at a fifth of the rate; transactions state refunds, too.")
    var refunds = true

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let (report, list, failure) = try await settings.withApple(access) { apple in
            let (report, list) = try await fetched(settings, apple)
            return (report, list, await apple.project())
        }
        var notes = list.badLines.map { "line \($0.line): \($0.reason)" }
        if list.badLinesOmitted > 0 {
            let omitted = list.badLinesOmitted.named("more line", "more lines")
            notes.append("… and \(omitted) without an id")
        }
        return Output(
            json: { report.write(to: &$0, list: list, environment: settings.environment) },
            text: report.lines(list: list).map { $0 + "\n" }.joined(), notes: notes,
            isClean: report.isComplete && list.badLines.isEmpty, failure: failure ?? report.stop)
    }

    /// Fetches and appends under the leases.
    private func fetched(
        _ settings: Settings, _ apple: AppleAccess
    ) async throws -> (BackfillReport, IdList) {
        let list = try await IdList.read(path: file)
        let choice = settings.environmentChoice
        let leases = try await apple.ledgers.backfillLeases(choice.environments)
        defer { withExtendedLifetime(leases) {} }
        let ledger = try await apple.ledgers.ledger(settings.environment)
        let backfill = Backfill(
            try apple.client(), ledgers: apple.ledgers, keptIn: ledger, in: choice,
            includesRefunds: refunds)
        let progress = ProgressLine()
        let report = try await backfill.run(list, restarts: restart) { estimate in
            Terminal.note(estimate.text)
        } report: {
            progress.show($0)
        }
        progress.end()
        return (report, list)
    }
}

extension EnvironmentLedgers {
    /// The leases of backfills in the ledgers of these environments, which are opened. Release them
    /// before the ledgers are closed: closing waits until another node can take them.
    ///
    /// Throws `backfillRunning` while another process, of this or another node, has one.
    func backfillLeases(_ environments: Set<Environment>) async throws -> [any Lease] {
        var leases: [any Lease] = []
        // In one order, so that of two backfills one begins.
        for environment in environments.sorted(by: { $0.rawValue < $1.rawValue }) {
            let ledger = try await ledger(environment)
            guard let lease = try await ledger.operations.lease(.backfill) else {
                throw CommandFailure(
                    "backfillRunning",
                    "Another backfill runs in the ledger of \(environment.rawValue); wait for it,"
                        + " or end it.", .io)
            }
            leases.append(lease)
        }
        return leases
    }
}
