import ArgumentParser
import Projection
import Queries

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "A subscription's state, and the events behind it.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var id: String

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let moment = try moment.moment()
            let session = try await settings.openSession()
            let reading = try await session.query.reading(
                id, bundleId: settings.bundleId, moment: moment)
            if common.json {
                try Console.out { reading.writeShow(to: &$0) }
            } else {
                try Console.out(reading.showText())
            }
            await session.close()
        }
    }
}
