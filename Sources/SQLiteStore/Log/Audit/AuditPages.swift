internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerStore

/// Looks through the pages of a file as they stand on the disk, a few at a time.
///
/// One that makes no sense may have been caught while it was written, or its truth may stand in the
/// write-ahead log: whoever asks has that moved into the file, and asks again (`isSound`).
struct AuditPages: Sendable {
    let pageByteCount: Int

    /// Pages read in one go: 4 MiB of 8 KiB pages.
    static let pagesAtOnce = 512
    /// From so many pages on, the first byte of a number of one may be taken for a kind of page.
    private static let mostPageCount = 0x0200_0000
    /// The page where SQLite keeps its locks holds nothing
    /// (https://www.sqlite.org/fileformat2.html#lock_byte_page).
    private var lockPage: Int { 0x4000_0000 / pageByteCount + 1 }

    /// Pages that make no sense, the first few of them; others are not told apart.
    private static let unsoundCount = 64

    /// The number of the first page after these, nil at the end, and which of these make no sense.
    /// Throws SQLite's error.
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

    /// Whether a page makes sense as it stands now.
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

    /// No page of a log is ever free or moved: the file is not one that is to be made smaller, and a
    /// number that says otherwise makes SQLite write where rows stand
    /// (https://www.sqlite.org/fileformat2.html#the_database_header).
    private func isSoundHeader(_ page: UnsafeRawBufferPointer) -> Bool {
        let isMovable = page[52..<56].contains { $0 != 0 }
        let hasFree = (page[32..<36].contains { $0 != 0 }, page[36..<40].contains { $0 != 0 })
        return !isMovable && hasFree.0 == hasFree.1
    }
}

/// A database's file, read through the descriptor that SQLite has of it: closing another one would drop
/// the locks this process holds (https://www.sqlite.org/howtocorrupt.html §2.2).
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
            // What is missing at the end is filled with zeros.
            guard code == SQLITE_OK || ResultCode(rawValue: code) == .SQLITE_IOERR_SHORT_READ else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}
