import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Projection

struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Fetch the histories of listed customers from Apple.",
        discussion: """
            Takes ids of customers, one per line, or a CSV export of RevenueCat or Adapty, whose \
            id column is found by its header. Requests statuses, transactions and refunds of each \
            customer within Apple's rate limits, and appends what verifies. After an interruption \
            the same command resumes; after completion it starts over and fetches current statuses \
            and what was added to histories or changed since. Exit code 1 when Apple does not know \
            an id, a request failed, or a line held no id.
            """)

    @Argument(
        help: ArgumentHelp("A file; - is standard input (the default).", valueName: "ids-file"))
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

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let asking = try Asking(settings, access)
            let report = await asking.result { try await backfill(settings, asking) }
            let (reported, list, derived) = try report.get()
            try print(reported, list, settings)
            try derived.get()
            if let stop = reported.stop { throw CommandFailure(stop) }
            guard reported.isComplete, list.badLines.isEmpty else {
                throw ExitCode(CommandFailure.Exit.negative.rawValue)
            }
        }
    }

    private func backfill(
        _ settings: Settings, _ asking: Asking
    ) async throws -> (BackfillReport, IdList, Result<Void, any Error>) {
        let list: IdList
        do throws(IdListProblem) { list = try await IdList.read(path: file) } catch {
            throw CommandFailure(
                code: error.code, message: error.message,
                exit: error.code == "unreadableInput" ? .io : .usage)
        }
        let cursors = try await asking.books.ledger(settings.environment).operations
        let backfill = Backfill(
            try asking.client(), books: asking.books, cursors: cursors,
            in: common.choice(settings), includesRefunds: refunds)
        let progress = ProgressLine()
        let report = try await backfill.run(list, startsAnew: restart) { estimate in
            Console.note(estimate.text)
        } report: {
            progress.show($0.text)
        }
        progress.end()
        return (report, list, await asking.project())
    }

    private func print(
        _ report: BackfillReport, _ list: IdList, _ settings: Settings
    ) throws {
        if common.json {
            try Console.out { json in
                report.write(to: &json, list: list, environment: settings.environment)
            }
        } else {
            for line in list.badLines { Console.note("line \(line.line): \(line.reason)") }
            if list.badLinesOmitted > 0 {
                Console.note("… and \(list.badLinesOmitted) more lines without an id")
            }
            for line in report.lines(list: list) { try Console.out(line + "\n") }
        }
    }
}
