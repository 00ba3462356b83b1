import ArgumentParser
import Foundation
import Ledger
import Projection
import Queries

/// Author and reason, required by every command about a customer (`lifecycle.md` §6).
struct CommandOptions: ParsableArguments {
    @Option(name: .customLong("by"), help: "The author: a person, or a system.")
    var actor: String

    @Option(help: "The reason; stored with the event.")
    var reason: String

    @Option(
        name: .customLong("idempotency-key"),
        help: ArgumentHelp(
            "The same command with the same key is appended once.", valueName: "key"))
    var key: String?

    var order: CommandIntake.Order {
        CommandIntake.Order(actor: actor, reason: reason, key: key)
    }
}

/// Appends a command, catches the projections up, and prints its position.
struct CommandRun {
    let common: SharedOptions

    /// - Parameter chain: an id of the chain the command is about; nil for a customer.
    func run(
        _ action: Command.Action, about id: String?, _ order: CommandIntake.Order
    ) async throws {
        try await perform {
            let settings = try Settings(common)
            let session = try await settings.openSession()
            var chain: ChainId?
            if let id {
                chain = try await session.query.chain(id, bundleId: settings.bundleId)
            }
            let intake = CommandIntake(ledger: session.ledger) {
                Console.now
            } makeId: {
                UUID().uuidString.lowercased()
            }
            let receipt = try await intake.run(action, about: chain, order)
            // Another projecting process will apply the event as well.
            let derived: Result<Void, any Error>
            do {
                _ = try await session.projector?.catchUp()
                derived = .success(())
            } catch { derived = .failure(CommandFailure.afterAppending(error)) }
            if common.json {
                try Console.out { receipt.write(to: &$0) }
            } else {
                try Console.out(receipt.text())
            }
            await session.close()
            try derived.get()
        }
    }
}
