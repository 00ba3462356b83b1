import Foundation
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Requests to project")
struct ProjectorWishTests {
    @Test("None is pending without a request, or after its release")
    func none() throws {
        let directory = try TemporaryDirectory()
        #expect(!ProjectorHandover.isPending(directory: directory.path))
        var wish = try ProjectorHandover.make(directory: directory.path)
        #expect(wish != nil)
        #expect(ProjectorHandover.isPending(directory: directory.path))
        wish = nil
        #expect(!ProjectorHandover.isPending(directory: directory.path))
    }

    @Test("What a link in place of a lock file leads to is never written to")
    func link() async throws {
        let directory = try TemporaryDirectory()
        let words = Data("words\n".utf8)
        let other = directory.file("other.txt")
        try words.write(to: URL(filePath: other))
        for name in ["projector.lock", "webhooks.lock"] {
            #expect(symlink(other, directory.file(name)) == 0)
        }
        let refusal = StoreError(.ioError, reason: "", remedy: "")
        #expect(throws: refusal) { try ProjectorLock.take(directory: directory.path) }
        #expect(throws: refusal) { try ProjectorHandover.make(directory: directory.path) }
        let operations = try await OperationsStore.open(directory: directory.path)
        await #expect(throws: refusal) { _ = try await operations.lease(.webhooks) }
        await operations.close()
        #expect(unlink(directory.file("projector.lock")) == 0)
        #expect(mkfifo(directory.file("projector.lock"), 0o600) == 0)
        #expect(throws: refusal) { try ProjectorLock.take(directory: directory.path) }
        #expect(try Data(contentsOf: URL(filePath: other)) == words)
    }

    @Test("One is pending at a time")
    func one() throws {
        let directory = try TemporaryDirectory()
        let wish = try #require(try ProjectorHandover.make(directory: directory.path))
        let second = try ProjectorHandover.make(directory: directory.path, patienceMilliseconds: 0)
        #expect(second == nil)
        withExtendedLifetime(wish) {}
    }

    @Test("A request does not affect the projector's lock, and a lock is no request")
    func apart() throws {
        let directory = try TemporaryDirectory()
        var lock = try ProjectorLock.take(directory: directory.path)
        #expect(lock != nil)
        #expect(!ProjectorHandover.isPending(directory: directory.path))
        let wish = try #require(try ProjectorHandover.make(directory: directory.path))
        #expect(
            try ProjectorLock.take(directory: directory.path, patienceMilliseconds: 0) == nil)
        lock = nil
        #expect(ProjectorHandover.isPending(directory: directory.path))
        #expect(try ProjectorLock.take(directory: directory.path) != nil)
        withExtendedLifetime(wish) {}
    }
}
