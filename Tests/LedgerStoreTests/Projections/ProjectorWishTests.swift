import SQLiteStore
import Testing

@Suite("The wish to project")
struct ProjectorWishTests {
    @Test("There is none where nobody asked, and none after whoever asked let go")
    func none() throws {
        let directory = try TemporaryDirectory()
        #expect(!ProjectorWish.isStanding(directory: directory.path))
        var wish = try ProjectorWish.make(directory: directory.path)
        #expect(wish != nil)
        #expect(ProjectorWish.isStanding(directory: directory.path))
        wish = nil
        #expect(!ProjectorWish.isStanding(directory: directory.path))
    }

    @Test("One stands at a time")
    func one() throws {
        let directory = try TemporaryDirectory()
        let wish = try #require(try ProjectorWish.make(directory: directory.path))
        let second = try ProjectorWish.make(directory: directory.path, patienceMilliseconds: 0)
        #expect(second == nil)
        withExtendedLifetime(wish) {}
    }

    @Test("A wish takes the projector's lock from nobody, and a lock is no wish")
    func apart() throws {
        let directory = try TemporaryDirectory()
        var lock = try ProjectorLock.take(directory: directory.path)
        #expect(lock != nil)
        #expect(!ProjectorWish.isStanding(directory: directory.path))
        let wish = try #require(try ProjectorWish.make(directory: directory.path))
        #expect(
            try ProjectorLock.take(directory: directory.path, patienceMilliseconds: 0) == nil)
        lock = nil
        #expect(ProjectorWish.isStanding(directory: directory.path))
        #expect(try ProjectorLock.take(directory: directory.path) != nil)
        withExtendedLifetime(wish) {}
    }
}
