import AppStore
import ArgumentParser
import Ledger
import Queries

struct TimelineCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "A subscription's transitions and facts, each with its cause.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var id: String?

    @Option(help: "All chains of a customer, merged, with links, grants and notes.")
    var customer: String?

    @Flag(help: "The newest entry first.")
    var newestFirst = false

    @Option(help: "text or json (default: text; json with --json).")
    var format: Format?

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
    }

    var printsJSON: Bool { format.map { $0 == .json } ?? common.json }

    func validate() throws {
        try requireOne(chain: id, customer: customer)
    }

    func output(_ settings: Settings) async throws -> Output {
        if let format {
            try common.requireFormat(format.rawValue, own: Format.json.rawValue)
        }
        let moment = try moment.moment()
        let order: TimelineOrder = newestFirst ? .newest : .oldest
        return try await settings.withSession { session in
            if let customer {
                let reading = try await session.customers.reading(
                    of: CustomerId(stated: customer), moment: moment)
                return Output(
                    json: { reading.writeTimeline(to: &$0, order) },
                    text: reading.timelineText(order))
            }
            let reading = try await session.query.reading(
                id ?? "", bundleId: settings.bundleId, moment: moment)
            return Output(
                json: { reading.writeTimeline(to: &$0, order) }, text: reading.timelineText(order))
        }
    }
}

/// Throws a usage error unless either a chain or a customer is named.
func requireOne(chain: String?, customer: String?) throws {
    guard (chain == nil) != (customer == nil) else {
        throw ValidationError("Name either a chain or --customer.")
    }
}
