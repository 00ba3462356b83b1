import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import LedgerStore
import Projection

struct ReconcileCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            guard limit ?? 1 > 0, requests ?? 1 > 0 else {
                throw CommandFailure(
                    code: "invalidOption", message: "--limit and --requests take 1 or more.",
                    exit: .usage)
            }
            let asking = try Asking(settings, access, takesSeveral: true)
            let report = await asking.result { try await reconcile(settings, asking) }
            try emit(try report.get())
        }
    }

    private func reconcile(
        _ settings: Settings, _ asking: Asking
    ) async throws -> ReconcileReport {
        let clients = try asking.clients()
        let session = try await settings.openSession(
            try await asking.books.ledger(settings.environment))
        let progress = ProgressLine()
        let report = try await Reconcile(
            clients, books: asking.books, ledger: session.ledger,
            projected: { _ async throws(StoreError) in try await session.currentSnapshot() }
        ).run(
            all ? .all : .gaps,
            budget: ReconcileBudget(chains: limit, requests: requests.map { Int64($0) })
        ) { progress.show("reconcile: \($0.results.count) of \($0.chains) chains") }
        progress.end()
        await asking.close(session)
        return report
    }

    private func emit(_ report: ReconcileReport) throws {
        if common.json {
            try Console.out { report.write(to: &$0) }
        } else {
            for result in report.results { try Console.out(result.text + "\n") }
            try Console.out("\(report.summary); position \(report.position)\n")
        }
        if let stop = report.stop { throw CommandFailure(stop) }
        guard report.count(.failed) + report.count(.unknown) == 0 else {
            throw ExitCode(CommandFailure.Exit.negative.rawValue)
        }
    }
}
