/// A strict reader of comma-separated values (RFC 4180), for checking exports.
package enum CommaSeparated {
    package static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var bytes = Array(text.utf8)[...]
        func end() {
            row.append(String(decoding: field, as: UTF8.self))
            field = []
        }
        while let byte = bytes.popFirst() {
            if isQuoted {
                guard byte == UInt8(ascii: "\"") else {
                    field.append(byte)
                    continue
                }
                if bytes.first == UInt8(ascii: "\"") {
                    field.append(byte)
                    bytes.removeFirst()
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isQuoted = true
            case UInt8(ascii: ","): end()
            case UInt8(ascii: "\r"): continue
            case UInt8(ascii: "\n"):
                end()
                rows.append(row)
                row = []
            default: field.append(byte)
            }
        }
        return rows
    }
}
