import AppStore
import ArgumentParser
import Ledger
import Projection
import Queries

/// Author and reason, required by every command about a customer (`Lifecycle.md` §6).
struct DecisionOptions: ParsableArguments {
    @Option(name: .customLong("by"), help: "The author: a person, or a system.")
    var actor: String

    @Option(help: "The reason; stored with the event.")
    var reason: String

    @Option(
        name: .customLong("idempotency-key"),
        help: ArgumentHelp(
            "The same command with the same key is appended once.", valueName: "key"))
    var key: String?

    var attribution: CommandIntake.Order { .init(actor: actor, reason: reason, key: key) }
}

extension Settings {
    /// Appends a command and catches the projections up, unless another process projects, which
    /// applies it as well; the output is its position.
    ///
    /// - Parameter id: an id of the chain the command is about; nil for a customer.
    func append(
        _ action: Command.Action, about id: String?, _ options: DecisionOptions
    ) async throws -> Output {
        try await withSession { session in
            var chain: ChainId?
            if let id { chain = try await session.snapshot.chainForCommand(id, bundleId: bundleId) }
            let intake = CommandIntake(ledger: session.ledger) { Terminal.now }
            let receipt = try await intake.run(
                action, about: chain, asOf: session.head, options.attribution)
            var failure: (any Error)?
            do {
                if let caughtUp = try await LedgerSession.projecting(session.ledger) {
                    for remark in caughtUp.remarks { Terminal.note("warning: \(remark)") }
                    _ = await caughtUp.released()
                }
            } catch { failure = CommandFailure.afterAppending(error) }
            return Output(json: receipt.write(to:), text: receipt.text(), failure: failure)
        }
    }
}

struct LinkCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Assign a subscription to a customer; overrides its appAccountToken.",
        discussion: """
            The first link of a chain holds from the chain's start, a later one from now on. A \
            chain belongs to one customer at a time.
            """)

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String

    @Argument(help: "The app's id of the customer.")
    var customer: String

    @OptionGroup var order: DecisionOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(.link(CustomerId(stated: customer)), about: chain, order)
    }
}

struct UnlinkCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Remove a link; the appAccountToken applies again, if there is one.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String

    @Argument(help: "The customer it is linked to.")
    var customer: String

    @OptionGroup var order: DecisionOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(.unlink(CustomerId(stated: customer)), about: chain, order)
    }
}

struct GrantCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Give a customer an entitlement until a date.")

    @Argument(help: "The customer.")
    var customer: String

    @Argument(help: "The entitlement.")
    var entitlement: String

    @Option(help: "When it ends: RFC 3339, a day (midnight UTC) or epoch milliseconds.")
    var until: String

    @OptionGroup var order: DecisionOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let until = try MomentOptions.time(until, "--until")
        return try await settings.append(
            .grant(CustomerId(stated: customer), entitlement: entitlement, until: until),
            about: nil, order)
    }
}

struct UngrantCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "ungrant", abstract: "Withdraw a grant.")

    @Argument(help: "The customer.")
    var customer: String

    @Argument(help: "The grant's id, as `grant` printed it.")
    var grant: String

    @OptionGroup var order: DecisionOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(
            .ungrant(CustomerId(stated: customer), grant: grant), about: nil, order)
    }
}

struct NoteCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Add a note (--reason) to the timeline of a subscription or a customer.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String?

    @Option(help: "A customer, instead of a chain.")
    var customer: String?

    @OptionGroup var order: DecisionOptions
    @OptionGroup var common: SharedOptions

    func validate() throws {
        try requireOne(chain: chain, customer: customer)
    }

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(
            .note(customer.map { CustomerId(stated: $0) }), about: chain, order)
    }
}
