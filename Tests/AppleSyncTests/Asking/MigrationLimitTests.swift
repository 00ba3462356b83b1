import AppStore
import Foundation
import LedgerTestSupport
import TestSupport
import Testing

@testable import AppleSync
@testable import Intake

@Suite("Limits of a migration, at the bound and one past it")
struct MigrationLimitTests {
    private let migration = StoreKitImport(
        apps: [Configuration.App(bundleId: BundleId(MadeChain.app))])
    private let good = MadeChain().verifyReceipt(through: 0, at: MadeChain().start(0))
    private static let bad = Array("{}".utf8)

    private func read(_ lines: [[UInt8]]) async throws -> StoredEvidence {
        let directory = try TemporaryDirectory()
        let file = lines.inLines()
        let root = try MigrationTests().folder([("lines", file)], in: directory)
        return try await migration.read(root)
    }

    @Test("a directory has the maximum number of files, and no more")
    func files() async throws {
        let directory = try TemporaryDirectory()
        let root = try MigrationTests().folder(
            [("a", good), ("b/c", good), ("d", good)], in: directory)
        let contents = try await EvidenceDirectory.contents(of: root, limit: 3)
        #expect(contents.files == ["a", "b/c", "d"])
        await #expect(throws: InputProblem.tooManyFiles) {
            try await EvidenceDirectory.contents(of: root, limit: 2)
        }
        #expect(ImportLimits.fileCount == 5_000_000)
    }

    @Test("a file may begin with one useless line less than the maximum")
    func barren() async throws {
        let limit = ImportLimits.barrenLineCount
        let within = try await read(Array(repeating: Self.bad, count: limit - 1) + [good])
        #expect(within.responses == 1)
        #expect(within.badInputCount == limit - 1)
        let past = try await read(Array(repeating: Self.bad, count: limit) + [good])
        #expect(past.responses == 0)
        #expect(past.badInputs.map(\.input) == ["lines"])
        // Once evidence was found, the rest is read to its end.
        let later = try await read(
            [good] + Array(repeating: Self.bad, count: 2 * limit) + [good])
        #expect(later.responses == 2)
        #expect(later.badInputCount == 2 * limit)
        let mixed = try await read([Self.bad, good, Self.bad, Self.bad])
        #expect(mixed.badInputs.map(\.input) == ["lines:1", "lines:3", "lines:4"])
    }

    @Test("useless inputs up to the limit are named; all are counted")
    func badInputs() async throws {
        let limit = ImportLimits.badInputCount
        let bound = try await read([good] + Array(repeating: Self.bad, count: limit))
        #expect(bound.badInputs.count == limit)
        #expect(bound.badInputsOmitted == 0)
        let past = try await read([good] + Array(repeating: Self.bad, count: limit + 1))
        #expect(past.badInputs.count == limit)
        #expect(past.badInputsOmitted == 1)
    }

    @Test("a line has 4 MiB, and not a byte more")
    func lineLength() async throws {
        let limit = InputLine.maximumByteCount
        func padded(_ count: Int) -> [UInt8] {
            let member = Array(",\"x\":\"".utf8)
            let filling = count - good.count - member.count - 1
            return Array(good.dropLast()) + member
                + [UInt8](repeating: UInt8(ascii: "a"), count: filling) + Array("\"}".utf8)
        }
        #expect(padded(limit).count == limit)
        let within = try await read([padded(limit), good])
        #expect(within.responses == 2)
        let past = try await read([good, padded(limit + 1)])
        #expect(past.responses == 1)
        #expect(past.badInputs.map(\.code) == ["payloadTooLarge"])
    }

    @Test("differences up to the limit are listed; all are counted")
    func differences() throws {
        let limit = ImportLimits.differenceCount
        let difference = StateDifference(
            scope: ImportScope(
                bundleId: BundleId(MadeChain.app), environment: .production),
            originalTransactionId: OriginalTransactionId("1"), at: MadeChain().start(0),
            byReceipts: "renewing", actual: "revoked", since: MadeChain().start(0))
        var found = StateDifferences()
        for _ in 0..<limit { found.add(difference) }
        #expect(found.list.count == limit)
        #expect(found.omitted == 0)
        found.add(difference)
        #expect(found.list.count == limit)
        #expect(found.omitted == 1)
        // The text output names few of them.
        #expect(found.lines.count == ImportLimits.namedCount + 2)
        #expect(found.lines.last?.contains("\(limit + 1 - ImportLimits.namedCount)") == true)
    }
}
