import Foundation
@testable import SQLiteStore
import Testing


@Suite("Room on a disk")
struct DiskRoomTests {
    @Test("Room is gone below what shared memory grows by; what is not known is not gone")
    func bound() {
        let least = DiskRoom.leastByteCount
        #expect(!DiskRoom.isGone(freeByteCount: least))
        #expect(DiskRoom.isGone(freeByteCount: least - 1))
        #expect(!DiskRoom.isGone(freeByteCount: nil))
    }

    @Test("A place that is nowhere has no known room")
    func nowhere() {
        #expect(DiskRoom.freeByteCount("/nowhere/\(UUID())") == nil)
        #expect(DiskRoom.freeByteCount("/") != nil)
    }
}
