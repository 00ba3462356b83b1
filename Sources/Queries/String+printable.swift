/// What strangers put into receipts, file names, tokens and payloads, as text that does nothing
/// where it is shown: in a terminal or a log, in a spreadsheet, in a picture. JSON says everything
/// exactly.
extension String {
    /// With control characters and marks without a shape as JSON escapes them, `\u001B`: in a
    /// terminal they could move the cursor, hide lines, turn the direction of writing, or begin a
    /// line of their own. JSON stays the same JSON.
    package var printable: String { escaped { _ in false } }

    /// The same of each line; the line feeds stay.
    package var printableLines: String { escaped { $0 == "\n" } }

    private func escaped(but isKept: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnprintable && !isKept(scalar) {
                text += scalar.jsonEscape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    // MARK: Comma-separated values

    /// A field of comma-separated values (RFC 4180). Spreadsheets run a field as a formula whose
    /// first character says so (owasp.org, CSV Injection): a text that begins so has an apostrophe
    /// before it and stands in quotes, and control characters are escaped. Numbers stay numbers.
    ///
    /// - Parameter isRaw: only quotes what RFC 4180 asks for.
    package func csvField(isRaw: Bool = false) -> String {
        if isRaw || isPlainNumber { return quotedWhereNeeded }
        let shown = printable
        guard let first = unicodeScalars.first, String.formulaStarts.contains(first) else {
            return shown.quotedWhereNeeded
        }
        return "'\(shown)".quoted
    }

    private static let formulaStarts: [Unicode.Scalar] = ["=", "+", "-", "@", "\t", "\r", "\n"]

    /// Digits, with a minus, a point and an exponent where a number has them, as we write them.
    private var isPlainNumber: Bool {
        let digits = utf8.drop { $0 == UInt8(ascii: "-") }
        guard utf8.count - digits.count <= 1, let first = digits.first,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        return Double(self) != nil && digits.allSatisfy { String.numberBytes.contains($0) }
    }

    private static let numberBytes = Array("0123456789.e-+".utf8)

    private var quotedWhereNeeded: String {
        let needsQuotes = utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r")
        }
        return needsQuotes ? quoted : self
    }

    private var quoted: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    // MARK: XML

    /// Text of an XML document: what XML takes for its own is escaped, what XML 1.0 forbids is left
    /// out (https://www.w3.org/TR/xml/#charsets).
    package var xmlText: String {
        var text = ""
        for scalar in unicodeScalars where scalar.isXML {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension [String] {
    /// A text of these lines, each of which is one, whatever stands in it.
    package var printableText: String { map(\.printable).joined(separator: "\n") + "\n" }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        // Letters, digits and punctuation of ASCII are nearly all there is.
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// `\u` and four digits for each UTF-16 unit (RFC 8259 §7).
    fileprivate var jsonEscape: String {
        Character(self).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    fileprivate var isXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

extension String {
    /// Filled with spaces to a width; never cut.
    package func padding(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}
