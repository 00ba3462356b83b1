import TestSupport

/// A ledger that is filled once; every test gets a copy.
package struct SharedLedger: Sendable {
    private let filled: Task<TemporaryLedger, any Error>

    package init(_ fill: @escaping @Sendable (inout TemporaryLedger) async throws -> Void) {
        filled = Task {
            var ledger = try TemporaryLedger(in: TemporaryDirectory.shared())
            try await fill(&ledger)
            // The copies are projected, too.
            try await ledger.session { _ in }
            return ledger
        }
    }

    package func copy() async throws -> TemporaryLedger { try await filled.value.copied() }
}
