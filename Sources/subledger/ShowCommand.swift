import AppStore
import ArgumentParser
import Projection
import Queries

struct ShowCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "A subscription's state, and the events behind it.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var id: String

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let moment = try moment.moment()
        let reading = try await settings.withSession { session in
            try await session.snapshot.reading(id, bundleId: settings.bundleId, moment: moment)
        }
        return Output(json: { reading.write(to: &$0) }, text: reading.showText())
    }
}
