import ArgumentParser
import Foundation
import Ledger
import Projection
import Queries

/// Author and reason, required by every command about a customer (`Lifecycle.md` §6).
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
}

extension Settings {
    /// Appends a command and catches the projections up; the output is its position.
    ///
    /// - Parameter id: an id of the chain the command is about; nil for a customer.
    func append(
        _ action: Command.Action, about id: String?, _ options: CommandOptions
    ) async throws -> Output {
        try await withSession { session in
            var chain: ChainId?
            if let id { chain = try await session.query.chain(id, bundleId: bundleId) }
            let intake = CommandIntake(ledger: session.ledger) {
                Console.now
            } makeId: {
                UUID().uuidString.lowercased()
            }
            let receipt = try await intake.run(
                action, about: chain,
                CommandIntake.Order(
                    actor: options.actor, reason: options.reason, key: options.key))
            var failure: (any Error)?
            // Another projecting process will apply the event as well.
            do { _ = try await session.projector?.catchUp() } catch {
                failure = CommandFailure.afterAppending(error)
            }
            return Output(json: receipt.write(to:), text: receipt.text(), failure: failure)
        }
    }
}
