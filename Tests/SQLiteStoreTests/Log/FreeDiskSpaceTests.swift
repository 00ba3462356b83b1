import Foundation
import Testing

@testable import SQLiteStore

@Suite("Free disk space")
struct FreeDiskSpaceTests {
    @Test("Space is insufficient below the growth of shared memory, and not when unknown")
    func bound() {
        let least = FreeDiskSpace.leastByteCount
        #expect(!FreeDiskSpace.isGone(freeByteCount: least))
        #expect(FreeDiskSpace.isGone(freeByteCount: least - 1))
        #expect(!FreeDiskSpace.isGone(freeByteCount: nil))
    }

    @Test("The free space of a missing path is unknown")
    func nowhere() {
        #expect(FreeDiskSpace.freeByteCount("/nowhere/\(UUID())") == nil)
        #expect(FreeDiskSpace.freeByteCount("/") != nil)
    }
}
