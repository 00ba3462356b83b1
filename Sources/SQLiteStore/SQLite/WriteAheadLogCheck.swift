internal import Foundation
internal import LedgerStore

/// Verifies a write-ahead log left by a process that ended without closing the file, before SQLite
/// recovers it.
///
/// SQLite treats the first frame that does not verify as the end: a write interrupted by a crash. A
/// flipped bit in the middle looks the same, and SQLite silently drops all later transactions,
/// acknowledged or not; earlier frames, of pages that were checkpointed since, even revert these
/// pages. The two can be distinguished: a transaction begins only when the previous one is on disk,
/// so where an intact transaction follows a finished one, no write before them was interrupted.
///
/// The format: https://www.sqlite.org/fileformat2.html#walformat.
struct WriteAheadLogCheck {
    /// The database's file.
    let path: String
    let pageByteCount: Int

    /// Frames read at a time: about 1 MiB of 8 KiB pages.
    private static let framesAtOnce = 128
    /// Maximum number of walks; each may find another damaged frame.
    private static let attemptCount = 3

    /// Throws `fileCorrupt` when finished transactions follow frames that do not verify, and
    /// `ioError`. Nothing is changed. Blocks.
    ///
    /// A process that writes meanwhile makes an intact log look damaged: a walk may read a frame
    /// before it is written, and later ones afterwards. That frame is then in a finished
    /// transaction, and a second walk finds it intact. So only what two walks find under the same
    /// header is damage.
    ///
    /// - Parameter afterBlock: called after each read of frames.
    func run(afterBlock: () -> Void = {}) throws(StoreError) {
        let log = path + "-wal"
        guard let status = stat.at(log), status.st_size > WriteAheadLogHeader.byteCount,
            // A process that has the file open has already recovered it.
            !FileLocks.isAnyHeld(on: path + "-shm")
        else { return }
        var suspected: (header: [UInt8], damage: Int)?
        for _ in 0..<WriteAheadLogCheck.attemptCount {
            let file: OpenFile
            do throws(StoreError) { file = try OpenFile.reading(log) } catch {
                // The last process to close the database deletes its log.
                guard stat.at(log) != nil else { return }
                throw error
            }
            let start = try file.read(at: 0, count: WriteAheadLogHeader.byteCount)
            guard
                let damage = try firstDamage(in: file, WriteAheadLogHeader(start), afterBlock)
            else { return }
            if let suspected, suspected.header == start, damage <= suspected.damage,
                try file.read(at: 0, count: WriteAheadLogHeader.byteCount) == start
            {
                throw damaged(damage)
            }
            suspected = (start, damage)
        }
    }

    /// The first corrupt frame, from 1, or 0 for the header; nil if the rest is an interrupted
    /// write.
    private func firstDamage(
        in file: OpenFile, _ header: WriteAheadLogHeader, _ afterBlock: () -> Void
    ) throws(StoreError) -> Int? {
        let frameByteCount = WriteAheadLogHeader.frameByteCount + pageByteCount
        var offset = Int64(WriteAheadLogHeader.byteCount)
        guard header.isValid else {
            // SQLite reads nothing after such a header. The restart of the log was interrupted,
            // unless the next frame was written after this very header.
            let frame = try file.read(at: offset, count: frameByteCount)
            guard frame.count == frameByteCount, header.precedes(frame) else { return nil }
            return try isCheckpointed(file, salts: frame[8..<16]) ? nil : 0
        }
        guard header.pageByteCount == pageByteCount else { return nil }
        var walk = WriteAheadLogWalk(header)
        while true {
            let block = try file.read(
                at: offset, count: frameByteCount * WriteAheadLogCheck.framesAtOnce)
            afterBlock()
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

    /// Whether the database holds the last version of every page in the finished transactions of
    /// the frames with these salts.
    ///
    /// SQLite restarts a log only after a complete checkpoint. An interrupted restart can leave
    /// the first bytes of the new header before the old checksum, from which the old frames chain.
    private func isCheckpointed(
        _ log: OpenFile, salts: ArraySlice<UInt8>
    ) throws(StoreError) -> Bool {
        let header = WriteAheadLogHeader.frameByteCount
        var offset = Int64(WriteAheadLogHeader.byteCount)
        var (finished, pending): ([UInt32: Int64], [UInt32: Int64]) = ([:], [:])
        while true {
            let frame = try log.read(at: offset, count: header)
            guard frame.count == header else { break }
            if frame[8..<16] == salts {
                pending[Self.word(frame[0..<4])] = offset + Int64(header)
                if Self.word(frame[4..<8]) != 0 {
                    finished.merge(pending) { $1 }
                    pending = [:]
                }
            }
            offset += Int64(header + pageByteCount)
        }
        let database = try OpenFile.reading(path)
        for (page, offset) in finished {
            let place = (Int64(page) - 1) * Int64(pageByteCount)
            guard page > 0,
                try database.read(at: place, count: pageByteCount)
                    == log.read(at: offset, count: pageByteCount)
            else { return false }
        }
        return true
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func damaged(_ frame: Int) -> StoreError {
        StoreError(
            .fileCorrupt, path: path + "-wal",
            reason: """
                \(FileIdentityGuard.name(path))-wal is damaged \(frame == 0 ? "in its header" : "in frame \(frame)"), \
                with finished transactions behind that; opening it would drop them.
                """,
            remedy: """
                Keep a copy of both files. Then `subledger restore --replace` the newest backup that \
                verifies, which keeps them too, and `subledger recover` what came after it.
                """)
    }
}
