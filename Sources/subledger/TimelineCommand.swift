import AppStore
import ArgumentParser
import Ledger
import Projection
import Queries

struct TimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "A subscription's transitions and facts, each with its cause.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var id: String?

    @Option(help: "All chains of a customer, merged, with links, grants and notes.")
    var customer: String?

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
            guard (id == nil) != (customer == nil) else {
                throw CommandFailure(
                    code: "usage", message: "Name either a chain or --customer.",
                    exit: .usage)
            }
            let settings = try Settings(common)
            let moment = try moment.moment()
            let session = try await settings.openSession()
            if let customer {
                let reading = try await session.customers.reading(
                    of: CustomerId(stated: customer), moment: moment)
                try print(reading.timelineText()) { reading.writeTimeline(to: &$0) }
            } else if let id {
                let reading = try await session.query.reading(
                    id, bundleId: settings.bundleId, moment: moment)
                try print(reading.timelineText()) { reading.writeTimeline(to: &$0) }
            }
            await session.close()
        }
    }

    private func print(_ text: String, _ write: (inout JSONWriter) -> Void) throws {
        if format == .json || (format == nil && common.json) {
            try Console.out(write)
        } else {
            try Console.out(text)
        }
    }
}
