/// One page of a file in SQLite's b-tree format, checked for consistent records of its own space.
///
/// Readers hardly depend on these, so damage stays unnoticed until the next row is written over
/// another. SQLite's own check takes one transaction for the whole file; this one works page by
/// page. The format: https://www.sqlite.org/fileformat2.html#b_tree_pages.
package struct TreePage {
    private let bytes: UnsafeRawBufferPointer
    /// Where the page's own header begins: the first page begins with the file header.
    private let start: Int
    /// Pages in the file.
    private let pageCount: Int

    private enum Kind: UInt8 {
        case innerIndex = 2
        case innerTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isLeaf: Bool { self == .leafIndex || self == .leafTable }
        var isTable: Bool { self == .innerTable || self == .leafTable }
        var headerByteCount: Int { isLeaf ? 8 : 12 }
    }

    /// Size of the file header.
    static let fileHeaderByteCount = 100
    /// The minimum size of a cell or a free block.
    private static let leastByteCount = 4

    /// - Parameter number: the page's number, from 1.
    package init(_ bytes: UnsafeRawBufferPointer, number: Int, pageCount: Int) {
        self.bytes = bytes
        self.pageCount = pageCount
        start = number == 1 ? TreePage.fileHeaderByteCount : 0
    }

    /// Whether the page is not a tree page, or is one whose cells and free space fill it without a
    /// gap or an overlap and whose children are pages of the file.
    ///
    /// An overflow page begins with the number of the next one; no file that is checked has so many
    /// pages that its first byte could be a page type.
    package var isSound: Bool {
        guard let kind = Kind(rawValue: bytes[start]) else {
            return start == 0 && bytes[0] == 0
        }
        let cellCount = word(start + 3)
        let pointers = start + kind.headerByteCount
        let contentStart = word(start + 5) == 0 ? 65_536 : word(start + 5)
        guard pointers + 2 * cellCount <= contentStart, contentStart <= bytes.count,
            kind.isLeaf || isChild(start + 8),
            var parts = freeBlocks(from: contentStart)
        else { return false }
        parts.reserveCapacity(parts.count + cellCount)
        for cell in 0..<cellCount {
            let place = word(pointers + 2 * cell)
            guard place >= contentStart, place + TreePage.leastByteCount <= bytes.count,
                kind.isLeaf || isChild(place), let length = cellByteCount(at: place, kind)
            else { return false }
            parts.append(place..<(place + length))
        }
        return fills(parts, from: contentStart)
    }

    /// Whether the parts are adjacent up to the end, separated by as many bytes in total as the
    /// page records as gaps too small for a free block.
    private func fills(_ parts: [Range<Int>], from contentStart: Int) -> Bool {
        var (end, gaps) = (contentStart, 0)
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard part.lowerBound >= end else { return false }
            gaps += part.lowerBound - end
            end = part.upperBound
        }
        return end <= bytes.count && gaps + bytes.count - end == Int(bytes[start + 7])
    }

    /// Nil when the list of free blocks does not ascend within the content.
    private func freeBlocks(from contentStart: Int) -> [Range<Int>]? {
        var blocks: [Range<Int>] = []
        var (place, end) = (word(start + 1), contentStart)
        while place != 0 {
            guard place >= end, place + TreePage.leastByteCount <= bytes.count else { return nil }
            let length = word(place + 2)
            guard length >= TreePage.leastByteCount, place + length <= bytes.count else {
                return nil
            }
            blocks.append(place..<(place + length))
            end = place + length
            place = word(place)
        }
        return blocks
    }

    /// Nil when the cell does not end within the page.
    private func cellByteCount(at place: Int, _ kind: Kind) -> Int? {
        var index = place + (kind.isLeaf ? 0 : 4)
        guard let first = varint(&index) else { return nil }
        if kind == .innerTable { return max(TreePage.leastByteCount, index - place) }
        if kind == .leafTable, varint(&index) == nil { return nil }
        guard let payload = Int(exactly: first) else { return nil }
        let length = index - place + localByteCount(of: payload, kind)
        guard place + length <= bytes.count else { return nil }
        return max(TreePage.leastByteCount, length)
    }

    /// Bytes of a row stored on this page, including the number of its first overflow page.
    private func localByteCount(of payload: Int, _ kind: Kind) -> Int {
        let usable = bytes.count
        let most = kind.isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard payload > most else { return payload }
        let least = (usable - 12) * 32 / 255 - 23
        let kept = least + (payload - least) % (usable - 4)
        return (kept <= most ? kept : least) + 4
    }

    private func isChild(_ place: Int) -> Bool {
        let number =
            Int(bytes[place]) << 24 | Int(bytes[place + 1]) << 16 | word(place + 2)
        return number > 1 && number <= pageCount
    }

    private func word(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

    /// https://www.sqlite.org/fileformat2.html#varint
    private func varint(_ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for number in 0..<9 {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            if number == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return value
    }
}
