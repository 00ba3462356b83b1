import Foundation

/// Reads CSV (RFC 4180) record by record: quoted fields may contain delimiters, line breaks and
/// doubled quotation marks. After an unreadable record, reading resumes at the line after its
/// first.
struct CSVReader {
    /// One record; its fields are decoded on demand.
    struct Record {
        /// The line of its first byte, from 1.
        let line: Int
        fileprivate(set) var fields: [Range<Int>] = []
        /// Why the record has no fields; nil if it has.
        fileprivate(set) var flaw: String?
    }

    private let bytes: [UInt8]
    private let delimiter: UInt8
    private var place: Int
    private var line: Int

    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Reads from the offset of the first record, which is in this line, from 1.
    init(_ bytes: [UInt8], from start: Int, line: Int, delimiter: UInt8) {
        self.bytes = bytes
        place = start
        self.line = line
        self.delimiter = delimiter
    }

    /// The next record that is not blank; nil at the end.
    mutating func next() -> Record? {
        while place < bytes.count {
            let record = read()
            guard record.fields.count == 1,
                bytes[record.fields[0]].allSatisfy(IdListReader.blanks.contains)
            else { return record }
        }
        return nil
    }

    /// A field's text, without its quotation marks and the spaces around it.
    func text(_ field: Range<Int>) -> String {
        var field = field
        guard bytes[field].first == CSVReader.quote, field.count >= 2 else {
            return String(decoding: bytes[field], as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        field = field.lowerBound + 1..<field.upperBound - 1
        return String(decoding: bytes[field], as: UTF8.self)
            .replacingOccurrences(of: "\"\"", with: "\"")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: One record

    private mutating func read() -> Record {
        var record = Record(line: line)
        let start = place
        var cursor = place
        while true {
            guard let end = fieldEnd(from: cursor, limit: start + BackfillLimits.recordByteCount)
            else {
                return skip(&record, "its quoting is invalid (RFC 4180), or it is over 1 MiB")
            }
            record.fields.append(cursor..<trimmed(cursor, end))
            guard record.fields.count <= BackfillLimits.columnCount else {
                return skip(&record, "more than \(BackfillLimits.columnCount) fields")
            }
            guard end < bytes.count, bytes[end] == delimiter else {
                place = min(end + 1, bytes.count)
                break
            }
            cursor = end + 1
        }
        line += bytes[start..<place].count { $0 == CSVReader.newline }
        return record
    }

    /// Excludes a carriage return before the end of the line from the field.
    private func trimmed(_ start: Int, _ end: Int) -> Int {
        let isLineEnd = end == bytes.count || bytes[end] == CSVReader.newline
        let hasReturn = end > start && bytes[end - 1] == CSVReader.carriageReturn
        return isLineEnd && hasReturn ? end - 1 : end
    }

    /// The end of the field: a delimiter, a line end or the end of the file; nil if there is none.
    private func fieldEnd(from start: Int, limit: Int) -> Int? {
        let limit = min(limit, bytes.count)
        var index = start
        guard index < bytes.count, bytes[index] == CSVReader.quote else {
            while index < limit, bytes[index] != delimiter, bytes[index] != CSVReader.newline {
                index += 1
            }
            let isTooLong =
                index >= limit && index < bytes.count && bytes[index] != CSVReader.newline
            return isTooLong ? nil : index
        }
        index += 1
        while index < limit {
            guard bytes[index] == CSVReader.quote else {
                index += 1
                continue
            }
            let next = index + 1
            if next < bytes.count, bytes[next] == CSVReader.quote {
                index += 2
                continue
            }
            if next == bytes.count || bytes[next] == delimiter || bytes[next] == CSVReader.newline {
                return next
            }
            let isReturn = bytes[next] == CSVReader.carriageReturn
            let isLineEnd = next + 1 == bytes.count || bytes[next + 1] == CSVReader.newline
            return isReturn && isLineEnd ? next + 1 : nil
        }
        return nil
    }

    /// Discards a record and continues at the line after its first.
    private mutating func skip(_ record: inout Record, _ flaw: String) -> Record {
        record.fields = []
        record.flaw = flaw
        let end = bytes[place...].firstIndex(of: CSVReader.newline) ?? bytes.count
        place = min(end + 1, bytes.count)
        line += 1
        return record
    }
}
