internal import Foundation
internal import LedgerStore

/// Looks through the write-ahead log that a process which ended without closing the file left behind,
/// before SQLite recovers what is in it.
///
/// SQLite takes the first frame that does not verify for the end: a write that a crash cut short. A bit
/// that flipped in the middle looks the same to it, and everything behind it is dropped without a word,
/// acknowledged or not; frames before it, of pages that were moved into the file since, even take those
/// back. The two can be told apart: a transaction is only begun when the one before it is on the disk,
/// so where an intact one follows on a finished one, nothing before them was cut short.
///
/// The format: https://www.sqlite.org/fileformat2.html#walformat.
struct WriteAheadLogCheck {
    /// The database's file.
    let path: String
    let pageByteCount: Int

    /// Frames read at once: about 1 MiB of 8 KiB pages.
    private static let framesAtOnce = 128
    /// Whoever begins the log anew meanwhile makes it look damaged: it is looked at again.
    private static let attemptCount = 3

    /// Throws `fileCorrupt` when transactions that were finished stand behind frames that do not verify,
    /// and `ioError`. Nothing is changed. Blocks.
    func run() throws(StoreError) {
        let log = path + "-wal"
        var status = stat()
        guard stat(log, &status) == 0, status.st_size > WriteAheadLogHeader.byteCount,
            !isOpenElsewhere
        else { return }
        for _ in 0..<WriteAheadLogCheck.attemptCount {
            let file = try OpenFile.reading(log)
            let start = try file.read(at: 0, count: WriteAheadLogHeader.byteCount)
            guard let damage = try firstDamage(in: file, WriteAheadLogHeader(start)) else { return }
            // What somebody writes who came meanwhile may have been read half.
            guard !isOpenElsewhere else { return }
            guard try file.read(at: 0, count: WriteAheadLogHeader.byteCount) == start else {
                continue
            }
            throw damaged(damage)
        }
    }

    /// Whoever has the file open has recovered it already.
    private var isOpenElsewhere: Bool { FileLocks.isAnyHeld(on: path + "-shm") }

    /// The first frame that does not verify and must; frames count from 1, 0 is the header.
    private func firstDamage(
        in file: OpenFile, _ header: WriteAheadLogHeader
    ) throws(StoreError) -> Int? {
        let frameByteCount = WriteAheadLogHeader.frameByteCount + pageByteCount
        var offset = Int64(WriteAheadLogHeader.byteCount)
        guard header.isValid else {
            // SQLite reads nothing behind it. That was begun anew and cut short, unless what stands
            // there was written behind this very header.
            let frame = try file.read(at: offset, count: frameByteCount)
            return frame.count == frameByteCount && header.precedes(frame) ? 0 : nil
        }
        guard header.pageByteCount == pageByteCount else { return nil }
        var walk = WriteAheadLogWalk(header)
        while true {
            let block = try file.read(
                at: offset, count: frameByteCount * WriteAheadLogCheck.framesAtOnce)
            let frameCount = block.count / frameByteCount
            guard frameCount > 0 else { return nil }
            block.withUnsafeBytes { bytes in
                for index in 0..<frameCount where walk.damagedFrame == nil {
                    let start = index * frameByteCount
                    walk.add(
                        UnsafeRawBufferPointer(rebasing: bytes[start..<(start + frameByteCount)]))
                }
            }
            if let damage = walk.damagedFrame { return damage }
            offset += Int64(frameCount * frameByteCount)
        }
    }

    private func damaged(_ frame: Int) -> StoreError {
        StoreError(
            .fileCorrupt, path: path + "-wal",
            reason: """
                \(FileWatch.name(path))-wal is damaged \(frame == 0 ? "in its header" : "in frame \(frame)"), \
                with finished transactions behind that; opening it would drop them.
                """,
            remedy: """
                Keep a copy of both files. Then `subledger restore --replace` the newest backup that \
                verifies, which keeps them too, and `subledger recover` what came after it.
                """)
    }
}
