import AppStore
import Foundation
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("An operations file that is deleted, moved or replaced while open")
struct OperationsReplacedFileTests {
    static let files = FileIdentityGuard.suffixes.map { OperationsStore.fileName + $0 }

    private func item(_ number: Int) -> NewQuarantineItem {
        NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: 1), standing: .unverifiable, code: "untrustedRoot",
            part: "outer", message: "Why.", bundleId: nil, environment: "Sandbox",
            bytes: Array("item \(number)".utf8), input: "file:1")
    }

    private func expectLoss<Value>(_ body: () async throws -> Value) async {
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            _ = try await body()
        }
    }

    private func expectLoss(_ store: OperationsStore) async {
        await expectLoss { try await store.quarantine(item(2)) }
        await expectLoss { try await store.quarantine([item(3)]) }
        await expectLoss { try await store.quarantineCount() }
        await expectLoss { try await store.quarantined() }
        await expectLoss { try store.requireUsable() }
    }

    @Test(
        "Without a file no call succeeds; a copy is another; with the same one back it continues",
        arguments: files)
    func copied(file: String) async throws {
        let directory = try TemporaryDirectory()
        let store = try await OperationsStore.open(directory: directory.path)
        _ = try await store.quarantine(item(1))
        let path = directory.file(file)
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        #expect(rename(path, path + ".old") == 0)
        await expectLoss(store)
        #expect(rename(path + ".copy", path) == 0)
        await expectLoss(store)
        #expect(rename(path + ".old", path) == 0)
        try store.requireUsable()
        #expect(try await store.quarantineCount() == 1)
        _ = try await store.quarantine(item(4))
        await store.close()
        // The next process to open it finds everything.
        let next = try await OperationsStore.open(directory: directory.path)
        #expect(try await next.quarantineCount() == 2)
        await next.close()
    }

    @Test("A write during which the file is removed does not succeed")
    func meanwhile() async throws {
        let directory = try TemporaryDirectory()
        let store = try await OperationsStore.open(directory: directory.path)
        let path = directory.file(OperationsStore.fileName)
        await expectLoss {
            try await store.writeTables(.quarantine) { _ in
                try FileManager.default.removeItem(atPath: path)
            }
        }
        await store.close()
    }

    @Test("Reopened without its files, the store is new and accepts writes")
    func reopened() async throws {
        let directory = try TemporaryDirectory()
        let store = try await OperationsStore.open(directory: directory.path)
        _ = try await store.quarantine(item(1))
        for file in OperationsReplacedFileTests.files {
            try FileManager.default.removeItem(atPath: directory.file(file))
        }
        await expectLoss(store)
        await store.close()
        let next = try await OperationsStore.open(directory: directory.path)
        #expect(try await next.quarantineCount() == 0)
        _ = try await next.quarantine(item(2))
        #expect(try await next.quarantineCount() == 1)
        await next.close()
    }
}
