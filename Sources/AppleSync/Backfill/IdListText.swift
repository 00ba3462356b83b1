/// Normalizes a file of ids: UTF-8, line feeds, no byte order mark.
enum IdListText {
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Accepts ASCII-based encodings, and UTF-16 with a byte order mark, which spreadsheets also
    /// write. Throws `unknownEncoding` for anything else.
    static func read(_ file: [UInt8]) throws(InputProblem) -> [UInt8] {
        var bytes = file
        if file.starts(with: [0xFF, 0xFE]) {
            bytes = try utf16(file) { UInt16($0) | UInt16($1) << 8 }
        } else if file.starts(with: [0xFE, 0xFF]) {
            bytes = try utf16(file) { UInt16($0) << 8 | UInt16($1) }
        } else if file.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes.removeFirst(3)
        }
        // Text has no NUL; UTF-16 and UTF-32 without a mark have it in the first line.
        guard !bytes.prefix(BackfillLimits.probedByteCount).contains(0) else {
            throw .unknownEncoding
        }
        // Old systems end lines with carriage returns only.
        if !bytes.contains(newline), bytes.contains(carriageReturn) {
            for index in bytes.indices where bytes[index] == carriageReturn {
                bytes[index] = newline
            }
        }
        return bytes
    }

    private static func utf16(
        _ file: [UInt8], _ unit: (UInt8, UInt8) -> UInt16
    ) throws(InputProblem) -> [UInt8] {
        guard file.count.isMultiple(of: 2) else { throw .unknownEncoding }
        let units = stride(from: 2, to: file.count, by: 2).map { unit(file[$0], file[$0 + 1]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
