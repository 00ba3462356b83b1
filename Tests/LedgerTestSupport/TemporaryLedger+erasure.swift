import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import Projection
import Queries
import SQLiteStore
import Signing

extension PersonErasure {
    /// An erasure that catches up as a session does.
    ///
    /// - Parameters:
    ///   - meanwhile: runs before each search, when an order has looked for its key.
    ///   - arrival: runs in each search, which does not find what it appends.
    ///   - draw: by default random ids that differ at each call.
    package init(
        _ session: LedgerSession, now: Timestamp,
        meanwhile: @escaping @Sendable () async throws -> Void = {},
        arrival: @escaping @Sendable () async throws -> Void = {},
        draw: @escaping @Sendable (Int) -> [String] = PersonErasure.randomTexts
    ) {
        self.init(ledger: session.ledger) {
            now
        } draw: { count in
            draw(count)
        } caughtUp: {
            try await meanwhile()
            let projections = try await session.currentSnapshot().projections
            try await arrival()
            return projections
        }
    }

    @Sendable
    package static func randomTexts(_ count: Int) -> [String] {
        (0..<count).map { _ in UUID().uuidString.lowercased().filter { $0 != "-" } }
    }
}

extension TemporaryLedger {
    package static let erasing = CommandIntake.Order(actor: "dpo", reason: "on request")

    /// Erases as the command does: with derived data, and no session left open.
    @discardableResult
    package func erase(
        chains: [String] = [], customer: String? = nil,
        _ order: CommandIntake.Order = TemporaryLedger.erasing
    ) async throws -> PersonErasure.Receipt {
        let receipt = try await session { session in
            let chains = chains.map { chain($0) }
            let receipt = try await PersonErasure(session, now: now).run(
                chains: chains, customer: customer.map { CustomerId(stated: $0) }, order)
            _ = try await session.currentSnapshot()
            return receipt
        }
        // The previous derived files are removed once no query has them open.
        try await session { _ = try await $0.currentSnapshot() }
        return receipt
    }

    package func chain(_ id: String) -> ChainId {
        ChainId(
            bundleId: configuration.apps[0].bundleId,
            originalTransactionId: OriginalTransactionId(id))
    }

    /// Every file of the environment that holds one of the texts, by name.
    package func files(holding texts: [String]) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: environmentDirectory)
        return names.sorted().filter { name in
            guard
                let data = FileManager.default.contents(
                    atPath: "\(environmentDirectory)/\(name)")
            else { return false }
            return texts.contains { data.range(of: Data($0.utf8)) != nil }
        }
    }

    /// Audits the log and the checkpoints of derived data, and leaves both as they are.
    ///
    /// - Parameter verifier: of signatures; nil leaves them out.
    package func audit(
        by verifier: EvidenceVerifier? = nil, apps: [Configuration.App] = []
    ) async throws -> Audit.Report {
        let log = try await EventLog.open(directory: environmentDirectory)
        let report = try await Audit(
            log: log, directory: environmentDirectory, environment: environment
        ).verify(verifier: verifier, apps: apps)
        await log.close()
        return report
    }

    /// Whether the log verifies, and derived data equals a rebuild.
    package func isSound() async throws -> Bool {
        let report = try await audit(by: verifier)
        return try await session { session in
            guard let projector = session.projector else { return false }
            let check = try await RebuildCheck(projector).run()
            return report.isSound && report.projectionsMatch == true && check.count == 0
                && check.fileFindings.isEmpty
        }
    }
}
