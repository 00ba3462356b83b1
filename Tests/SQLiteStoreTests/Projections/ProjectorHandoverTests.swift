import SQLiteStore
import TestSupport
import Testing

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
