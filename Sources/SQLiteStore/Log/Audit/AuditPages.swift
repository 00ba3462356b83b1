internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerStore

/// Checks the pages of a file as they are on disk, a few at a time.
///
/// An unsound page may have been read during a write, or its current content may be in the
/// write-ahead log: the caller checkpoints and checks the page again (`isSound`).
struct AuditPages: Sendable {
    let pageByteCount: Int

    /// Pages per read: 4 MiB of 8 KiB pages.
    static let pagesAtOnce = 512
    /// From this page count on, the first byte of a page number can be mistaken for a page type.
    private static let mostPageCount = 0x0200_0000
    /// The page that holds SQLite's locks is unused
    /// (https://www.sqlite.org/fileformat2.html#lock_byte_page).
    private var lockPage: Int { 0x4000_0000 / pageByteCount + 1 }

    /// Unsound pages returned at most; further ones are ignored.
    private static let unsoundCount = 64

    /// Checks the next pages from `first` on. Returns the number of the page after them, nil at the
    /// end, and the unsound ones. Throws SQLite's error.
    func next(_ database: Database, from first: Int) throws -> (next: Int?, unsound: [Int]) {
        let file = try FilePages(database, pageByteCount: pageByteCount)
        let pageCount = try file.pageCount()
        let last = min(pageCount, first + AuditPages.pagesAtOnce - 1)
        guard first <= last, pageCount < AuditPages.mostPageCount else { return (nil, []) }
        var unsound: [Int] = []
        try file.read(first, through: last) { bytes in
            for number in first...last
            where number != lockPage && unsound.count < AuditPages.unsoundCount {
                let start = (number - first) * pageByteCount
                let page = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + pageByteCount)])
                if !isSound(page, number, pageCount) { unsound.append(number) }
            }
        }
        return (last + 1, unsound)
    }

    /// Whether a page is sound as it is on disk now.
    func isSound(_ database: Database, page number: Int) throws -> Bool {
        let file = try FilePages(database, pageByteCount: pageByteCount)
        let pageCount = try file.pageCount()
        var result = false
        try file.read(number, through: number) { result = isSound($0, number, pageCount) }
        return result
    }

    private func isSound(
        _ page: UnsafeRawBufferPointer, _ number: Int, _ pageCount: Int
    ) -> Bool {
        TreePage(page, number: number, pageCount: pageCount).isSound
            && (number != 1 || isSoundHeader(page))
    }

    /// No page of a log is ever free or moved, because its file is never vacuumed. A header that
    /// claims otherwise makes SQLite overwrite rows
    /// (https://www.sqlite.org/fileformat2.html#the_database_header).
    private func isSoundHeader(_ page: UnsafeRawBufferPointer) -> Bool {
        let isMovable = page[52..<56].contains { $0 != 0 }
        let hasFree = (page[32..<36].contains { $0 != 0 }, page[36..<40].contains { $0 != 0 })
        return !isMovable && hasFree.0 == hasFree.1
    }
}

/// A database's file, read through SQLite's own descriptor: closing another one would drop the
/// locks this process holds (https://www.sqlite.org/howtocorrupt.html §2.2).
private struct FilePages {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let pageByteCount: Int

    init(_ database: Database, pageByteCount: Int) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(
            database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        guard code == SQLITE_OK, let found, let methods = found.pointee.pMethods else {
            throw DatabaseError(resultCode: .SQLITE_IOERR)
        }
        file = found
        self.methods = methods.pointee
        self.pageByteCount = pageByteCount
    }

    func pageCount() throws -> Int {
        var byteCount: sqlite3_int64 = 0
        let code = methods.xFileSize(file, &byteCount)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        return Int(byteCount) / pageByteCount
    }

    func read(
        _ first: Int, through last: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let byteCount = (last - first + 1) * pageByteCount
        try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
            let code = methods.xRead(
                file, buffer.baseAddress, Int32(byteCount),
                sqlite3_int64((first - 1) * pageByteCount))
            // SQLite fills what is missing at the end with zeros.
            guard code == SQLITE_OK || ResultCode(rawValue: code) == .SQLITE_IOERR_SHORT_READ else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}
