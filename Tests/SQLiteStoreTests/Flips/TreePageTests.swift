import Faults
import Foundation
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Space records of a page")
struct TreePageTests {
    private static func file() async throws -> (TemporaryDirectory, Data) {
        let directory = try TemporaryDirectory()
        try await SmallLog.make(try SmallLog.crowd(), in: directory)
        return (directory, try Data(contentsOf: URL(filePath: directory.file("log.sqlite"))))
    }

    private static func isSound(_ file: Data, page: Int) -> Bool {
        let size = EventLog.pageByteCount
        return file[((page - 1) * size)..<(page * size)].withUnsafeBytes {
            TreePage($0, number: page, pageCount: file.count / size).isSound
        }
    }

    @Test(
        "Every page SQLite writes is sound; any bit flip in its header or cell list is detected"
    )
    func everyPage() async throws {
        var (_, file) = try await Self.file()
        let size = EventLog.pageByteCount
        var kinds: Set<UInt8> = []
        for page in 1...(file.count / size) {
            #expect(Self.isSound(file, page: page), "page \(page)")
            let start = (page - 1) * size + (page == 1 ? TreePage.fileHeaderByteCount : 0)
            let kind = file[start]
            guard [2, 5, 10, 13].contains(kind) else { continue }
            kinds.insert(kind)
            let isLeaf = kind >= 10
            let cellCount = Int(file[start + 3]) << 8 | Int(file[start + 4])
            // The last child of an inner page may be any page: a wrong one is detected because rows
            // are missing.
            let ownBytes = Array(1..<8) + (0..<(2 * cellCount)).map { $0 + (isLeaf ? 8 : 12) }
            for byte in ownBytes {
                for bit in 0..<8 {
                    file[start + byte] ^= 1 << UInt8(bit)
                    #expect(!Self.isSound(file, page: page), "bit \(bit) of \(byte), page \(page)")
                    file[start + byte] ^= 1 << UInt8(bit)
                }
            }
        }
        #expect(kinds == [2, 5, 10, 13])
    }

    @Test("A page of an unknown kind, and an overflow page")
    func kinds() async throws {
        var (_, file) = try await Self.file()
        let start = EventLog.pageByteCount
        file[start] = 0
        #expect(Self.isSound(file, page: 2))
        file[start] = 1
        #expect(!Self.isSound(file, page: 2))
        file[TreePage.fileHeaderByteCount] = 0
        #expect(!Self.isSound(file, page: 1))
    }

    @Test(
        "A file header with false records about its pages", arguments: [35, 39, 52, 55])
    func header(byte: Int) async throws {
        for bit in 0..<8 {
            var (directory, file) = try await Self.file()
            file[byte] ^= 1 << UInt8(bit)
            try file.write(to: URL(filePath: directory.file("log.sqlite")))
            if byte > 50 {
                await #expect {
                    _ = try await EventLog.open(directory: directory.path)
                } throws: { ($0 as? StoreError)?.code == .fileCorrupt }
                continue
            }
            let log = try await EventLog.open(directory: directory.path)
            let report = try await log.verify(checkedPageCount: 0) { _, _ in }
            #expect(report.findings.map(\.code) == [.fileDamaged], "bit \(bit)")
            await log.close()
        }
    }
}
