import AppStore
import Foundation
import Projection
import Simulator
import TestSupport

/// Ledgers without events, created once per environment and copied for many runs.
actor EmptyLedger {
    private static let shared = EmptyLedger()
    private var making: [Environment: Task<TemporaryDirectory, any Error>] = [:]

    /// Copies the files of an empty ledger to `directory`.
    static func copy(of world: SmallWorld, to directory: String) async throws {
        let made = try await shared.made(world)
        try Steps.copy("\(made.path)/data", to: directory)
    }

    private func made(_ world: SmallWorld) async throws -> TemporaryDirectory {
        let task =
            making[world.environment]
            ?? Task {
                let scratch = try TemporaryDirectory()
                let session = try await LedgerSession.open(
                    world.configuration("\(scratch.path)/data"), environment: world.environment)
                await session.close()
                return scratch
            }
        making[world.environment] = task
        return try await task.value
    }
}
