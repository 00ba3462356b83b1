import AppStore

/// The result of Foundation's decoder for a text, compared with this project's reader.
///
/// The permitted differences are all listed here. Foundation converts numbers to doubles, and the
/// reader keeps them exact. The reader refuses duplicate keys, deep nesting, known fields of
/// another type, and any encoding but UTF-8 without a byte order mark (RFC 8259 §8.1), where
/// Foundation guesses.
struct FoundationWitness {
    /// Nil when Foundation refuses the text.
    private let tree: OracleTree?
    private let text: [UInt8]

    init(_ text: [UInt8]) {
        self.text = text
        let isOtherEncoding = text.first.map { $0 >= 0xEF } ?? false || text.prefix(4).contains(0)
        tree = isOtherEncoding ? nil : try? OracleTree.read(text)
    }

    /// `encoded` is the reader's result, encoded again.
    func requireAgreement(with encoded: [UInt8]) {
        guard let value = try? JSONValue.parse(encoded) else {
            return require(false, "encoded output can be read")
        }
        let ours = OracleTree(value)
        guard let tree else {
            // Foundation refuses numbers beyond every double; the reader keeps their digits.
            return require(ours.holdsInfinity, "Foundation accepts what the reader accepts")
        }
        require(FoundationWitness.agree(tree, ours), "Foundation and the reader agree")
    }

    /// A text that only the reader refuses must be one that it refuses by design.
    func requireReason(for error: JSONError) {
        guard tree != nil else { return }
        switch error.code {
        case .duplicateKey, .tooDeep, .tooManyValues, .wrongType, .numberOutOfRange: return
        case .malformed where hasTrailingComma(before: error.offset): return
        case .malformed, .unexpectedEnd, .invalidUTF8, .loneSurrogate, .trailingBytes:
            require(false, "Foundation refuses what the reader refuses as \(error.code.rawValue)")
        }
    }

    /// Foundation accepts a comma after the last member or element; RFC 8259 §4, §5 do not.
    private func hasTrailingComma(before offset: Int) -> Bool {
        guard text.indices.contains(offset), "]}".utf8.contains(text[offset]) else { return false }
        return text[..<offset].last { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ",")
    }

    /// Null members equal absent members, and dates are rounded to the millisecond.
    private static func agree(_ theirs: OracleTree, _ ours: OracleTree) -> Bool {
        switch (theirs, ours) {
        case (.object(let left), .object(let right)):
            let keys = Set(left.keys).union(right.keys)
            return keys.allSatisfy { key in
                switch (left[key] ?? .null, right[key] ?? .null) {
                case (.fraction(let date), .integer(let rounded)) where key.hasSuffix("Date"):
                    abs(date - Double(rounded)) <= 0.5 + date.ulp
                case (let left, let right): agree(left, right)
                }
            }
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { agree($0, $1) }
        case (.integer(let left), .fraction(let right)), (.fraction(let right), .integer(let left)):
            return abs(Double(left) - right) <= right.ulp
        default: return theirs == ours
        }
    }
}
