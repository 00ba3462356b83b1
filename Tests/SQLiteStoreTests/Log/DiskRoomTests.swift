import Foundation
import Testing

@testable import SQLiteStore

@Suite("Free disk space")
struct DiskRoomTests {
    @Test("Space is insufficient below the growth of shared memory, and not when unknown")
    func bound() {
        let least = DiskRoom.leastByteCount
        #expect(!DiskRoom.isGone(freeByteCount: least))
        #expect(DiskRoom.isGone(freeByteCount: least - 1))
        #expect(!DiskRoom.isGone(freeByteCount: nil))
    }

    @Test("The free space of a missing path is unknown")
    func nowhere() {
        #expect(DiskRoom.freeByteCount("/nowhere/\(UUID())") == nil)
        #expect(DiskRoom.freeByteCount("/") != nil)
    }
}
