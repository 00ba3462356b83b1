import AppStore
import AppleSync
import ArgumentParser
import Intake
import Ledger
import LedgerStore
import Projection
import Service

struct ReconcileCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Check chains with open notices against Apple.",
        discussion: """
            Looks up every chain with an open notice of renewalOverdue, missingPeriod, \
            unexplainedExpiry, historyMissingBefore, missingRenewalInfo or unconfirmedStatement, \
            the most valuable first: notification history, statuses, transaction and refund \
            history, until the notice is closed. Exit code 1 when a chain could not be looked up \
            or is unknown to Apple; a notice that stays open is reported and is not an error.
            """)

    @Flag(help: "Look up every chain with any open notice.")
    var all = false

    @Option(help: "Most chains to look up.", transform: PlainNumber.read)
    var limit: Int?

    @Option(
        help: "Stop starting chains after this many responses from Apple.",
        transform: PlainNumber.read)
    var requests: Int?

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        guard limit ?? 1 > 0, requests ?? 1 > 0 else {
            throw CommandFailure.invalidOption("--limit and --requests take 1 or more.")
        }
        let report = try await settings.withApple(access, takesSeveral: true) { apple in
            try await reconcile(settings, apple)
        }
        let namesApps = settings.configuration.apps.count > 1
        let lines = report.results.map { result in
            (namesApps ? "\(result.chain.bundleId) " : "") + result.text + "\n"
        }
        let stop = report.stop.flatMap { $0.concernsApp ? nil : CommandFailure($0) }
        // The first decides the exit code.
        let failures: [CommandFailure] = [
            stop, failure(of: report.limits), failure(of: report.refusals),
        ].compactMap { $0 }
        return Output(
            json: report.write(to:),
            text: lines.joined() + "\(report.summary); position \(report.position)\n",
            notes: failures.dropFirst().map { "warning: \($0.code): \($0.message)" },
            isClean: report.count(.failed) + report.count(.unknown) == 0,
            failure: failures.first)
    }

    /// The failure of the first result, naming the apps of all results that failed with its code;
    /// other failures are in their results.
    private func failure(of results: [ChainReconciliation]) -> CommandFailure? {
        results.first?.failure.map { first in
            let alike = results.filter { $0.failure?.code == first.code }
            return CommandFailure(first, about: alike.map(\.chain.bundleId).sorted())
        }
    }

    private func reconcile(
        _ settings: Settings, _ apple: AppleAccess
    ) async throws -> ReconcileReport {
        let clients = try apple.clients()
        let ledger = try await apple.ledgers.ledger(settings.environment)
        return try await settings.withProjecting(ledger) { projecting, progress in
            try await Reconcile(
                clients, ledgers: apple.ledgers, ledger: ledger,
                projected: { _ async throws(StoreError) in try await projecting.snapshot() }
            ).run(
                all ? .all : .gaps,
                budget: ReconcileBudget(chains: limit, requests: requests.map { Int64($0) })
            ) {
                let all = $0.chains.named("chain", "chains")
                progress.show("reconcile: \($0.results.count) of \(all)")
            }
        }
    }
}
