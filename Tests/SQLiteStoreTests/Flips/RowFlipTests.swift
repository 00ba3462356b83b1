import Foundation
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Any flipped bit in a row")
struct RowFlipTests {
    /// Flips of one table, spread over its bytes, where not every bit of every byte is flipped;
    /// and the first and the last of each column.
    private static let usualCount = 50

    @Test("The audit reports it", arguments: ["events", "evidence", "headers", "head"])
    func reported(table: String) async throws {
        let directory = try TemporaryDirectory()
        try await SmallLog.make(try SmallLog.variety(), in: directory)
        let rows = try RowFlips(path: directory.file("log.sqlite"), table: table)
        let log = try await EventLog.open(directory: directory.path)
        let all = try rows.all(everyBit: Soak.isOn)
        let step = Soak.isOn ? 1 : max(1, all.count / RowFlipTests.usualCount)
        let flips = all.indices.filter { index in
            let isInside = index > 0 && index + 1 < all.count
            return index % step == 0 || !isInside
                || all[index - 1].column != all[index].column
                || all[index + 1].column != all[index].column
        }.map { all[$0] }
        #expect(flips.count >= 50)
        var collisions = 0
        for flip in flips {
            guard try rows.apply(flip) else {
                collisions += 1
                continue
            }
            let found = try await codes(log)
            // Missing triggers are found in any case; SQLite's own check alone does not suffice.
            #expect(
                !found.subtracting([.schemaMismatch, .fileDamaged]).isEmpty, "\(table): \(flip)")
            try rows.undo(flip)
        }
        #expect(collisions * 10 < flips.count)
        #expect(try await codes(log) == [.schemaMismatch])
        await log.close()
        try rows.close()
    }

    private func codes(_ log: EventLog) async throws -> Set<LogFinding.Code> {
        Set(try await log.verify().findings.map(\.code))
    }
}
