import ArgumentParser
import LedgerService

struct TimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "A subscription's life: transitions and facts, each with its cause.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var id: String

    @Option(help: "text or json (default: text; json with --json).")
    var format: Format?

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
    }

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let moment = try moment.moment()
            let session = try await settings.openSession()
            let reading = try await session.query.reading(
                id, bundleId: settings.bundleId, moment: moment)
            if format == .json || (format == nil && common.json) {
                try Console.out { reading.writeTimeline(to: &$0) }
            } else {
                try Console.out(reading.timelineText())
            }
            await session.close()
        }
    }
}
