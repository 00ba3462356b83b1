import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerStore
import Projection
import Queries
import SQLiteStore

struct EraseCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase what is known of a person; numbers and proofs stay.",
        discussion: """
            Erases the evidence of the events about chains, and about a customer with every chain \
            that names it, from the log, quarantine, waiting deliveries and derived data. Random \
            ids take the place of theirs, so that every state and sum stays the same. Backups, \
            warehouses and receivers of webhooks are not reached. It cannot be undone.
            """)

    @Option(
        name: .customLong("chain"),
        help: ArgumentHelp(
            "An originalTransactionId or any transactionId; may be repeated.", valueName: "id"))
    var chains: [String] = []

    @Option(help: "The app's id of the customer.")
    var customer: String?

    @Flag(help: "Show what would be erased, and change nothing.")
    var dryRun = false

    @Flag(help: "Erase it, unless --dry-run is given, too.")
    var yes = false

    /// Attempts to remove files that are open elsewhere, with the pause between them: 5 s in all.
    private static let dropAttemptCount = 50
    private static let dropPause = Duration.milliseconds(100)

    @OptionGroup var order: DecisionOptions
    @OptionGroup var common: SharedOptions

    func validate() throws {
        guard !chains.isEmpty || customer != nil else {
            throw ValidationError("Name --chain or --customer.")
        }
        guard dryRun || yes else {
            throw ValidationError("Give --dry-run to see what would be erased, or --yes to erase.")
        }
    }

    func output(_ settings: Settings) async throws -> Output {
        try await settings.withSession(toProject: true) { session in
            let erasure = PersonErasure(ledger: session.ledger) {
                Terminal.now
            } draw: {
                EraseCommand.random($0)
            } caughtUp: {
                try await session.currentSnapshot().projections
            }
            let request = order.attribution
            let (found, unknown) = try await erasure.chains(
                named: chains, by: session.snapshot, bundleId: settings.bundleId,
                dryRun ? nil : request)
            let named = customer.map { CustomerId(stated: $0) }
            let progress = ProgressLine()
            defer { progress.end() }
            let report: PersonErasure.Progress = { done, all in
                progress.show("search: \(done) of \(all.named("event", "events"))")
            }
            if dryRun {
                let plan = try await erasure.plan(chains: found, customer: named, report: report)
                return Output(text: plan.text) { json in
                    json.object("plan") { plan.writeMembers(to: &$0) }
                }
            }
            if request.key == nil { Self.note(found, namedBy: chains) }
            let receipt: PersonErasure.Receipt
            do {
                receipt = try await erasure.run(
                    chains: found, customer: named, request, unknown: unknown, report: report)
            } catch let error as StoreError { throw error.naming(found) }
            let failure = await derive(session, found)
            return Output(text: receipt.text, failure: failure) { json in
                json.object("erasure") { receipt.writeMembers(to: &$0) }
            }
        }
    }

    /// Names all chains where one was found by another id: after a kill that id names nothing any
    /// more.
    private static func note(_ chains: [ChainId], namedBy ids: [String]) {
        let names = chains.map(\.originalTransactionId.rawValue)
        guard names != ids else { return }
        let options = Set(names).sorted().map { "--chain \($0.printable)" }
        Terminal.note(
            "If this is interrupted, repeat the command with \(options.joined(separator: " ")) in"
                + " place of its --chain options.")
    }

    /// Rebuilds derived data without what was erased, and removes the previous files.
    private func derive(_ session: LedgerSession, _ chains: [ChainId]) async -> (any Error)? {
        do {
            _ = try await session.currentSnapshot()
            guard let projector = session.projector else { return nil }
            // Nothing here reads the previous file any more.
            if session.projections !== projector.projections { try? session.projections.close() }
            try await projector.catchUp()
            var left = await projector.dropErased()
            // A running service opens the new files at its next poll.
            for _ in 0..<Self.dropAttemptCount where !left.isEmpty {
                try await Task.sleep(for: Self.dropPause)
                left = await projector.dropErased()
            }
            return Self.failure(leaving: left, session)?.naming(chains)
        } catch { return CommandFailure.afterAppending(error) }
    }

    /// The failure where another process has files open that still hold what was erased.
    private static func failure(leaving names: [String], _ session: LedgerSession) -> StoreError? {
        guard !names.isEmpty else { return nil }
        return StoreError(
            .fileLocked, path: session.ledger.directory,
            reason: "Another process has derived files open that may hold what was erased:"
                + " \(names.joined(separator: ", ")).",
            remedy: "Close what reads them; then run the same erasure again.")
    }

    /// Different random texts of 32 hexadecimal digits.
    static func random(_ count: Int) -> [String] {
        (0..<count).map { _ in
            UUID().uuidString.lowercased().filter { $0 != "-" }
        }
    }
}

extension StoreError {
    /// The same error, with the ids that find the chains again when the erasure is repeated: no
    /// other id finds an erased chain.
    fileprivate func naming(_ chains: [ChainId]) -> StoreError {
        guard !chains.isEmpty else { return self }
        let ids = chains.map(\.originalTransactionId.rawValue.printable).joined(separator: ", ")
        return adding("Without an idempotency key, name the chains by \(ids).")
    }
}
