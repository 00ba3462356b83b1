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

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    func validate() throws {
        try requireOne(chain: id, customer: customer)
    }

    func output(_ settings: Settings) async throws -> Output {
        let moment = try moment.moment()
        let order: TimelineOrder = newestFirst ? .newest : .oldest
        return try await settings.withSession { session in
            if let customer {
                let reading = try await session.snapshot.reading(
                    of: CustomerId(stated: customer), moment: moment)
                return Output(
                    json: { reading.writeTimeline(to: &$0, reading.page(order)) },
                    text: reading.timelineText(order))
            }
            let reading = try await session.snapshot.reading(
                id ?? "", bundleId: settings.bundleId, moment: moment)
            return Output(
                json: { reading.writeTimeline(to: &$0, reading.page(order)) },
                text: reading.timelineText(order))
        }
    }
}

/// Throws a usage error unless either a chain or a customer is named.
func requireOne(chain: String?, customer: String?) throws {
    guard (chain == nil) != (customer == nil) else {
        throw ValidationError("Name either a chain or --customer.")
    }
}
