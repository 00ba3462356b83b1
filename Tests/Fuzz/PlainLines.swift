import AppStore

@testable import Intake

/// The line rule of `ingest` in its simplest form: one body when the input is one JSON object over
/// several lines, otherwise the text between line feeds, without surrounding white space and blank
/// lines; nil for gzip, which is refused. For inputs below every bound.
enum PlainLines {
    struct Line: Equatable {
        var number: Int
        var bytes: [UInt8]
    }

    static func split(_ input: [UInt8]) -> [Line]? {
        guard !input.starts(with: [0x1F, 0x8B]) else { return nil }
        let pieces = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let lines = pieces.map { trimmed($0) }
        let whole = trimmed(input[...])
        if !LineReader.isObject(lines[0]), LineReader.isObject(whole) {
            return [Line(number: 1, bytes: whole)]
        }
        return lines.enumerated().filter { !$1.isEmpty }.map { Line(number: $0 + 1, bytes: $1) }
    }

    private static func trimmed(_ slice: ArraySlice<UInt8>) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
        guard let first = slice.firstIndex(where: { !isBlank($0) }),
            let last = slice.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(slice[first...last])
    }
}
