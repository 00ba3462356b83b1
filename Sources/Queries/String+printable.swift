internal import AppStore

/// Escaping of untrusted text (receipts, file names, tokens, payloads) for terminals, logs, and
/// spreadsheets. JSON output is exact and needs none of it.
extension String {
    /// Escapes control and format characters as JSON does, `\u001B`: in a terminal they could move
    /// the cursor, hide lines, change the writing direction, or start a new line. Applied to JSON
    /// text, it leaves the value unchanged.
    package var printable: String { escaped { _ in false } }

    /// The same, but keeps line feeds.
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

    /// A field of comma-separated values (RFC 4180). Spreadsheets execute a field as a formula by
    /// its first character (owasp.org, CSV Injection): such a text gets a leading apostrophe and
    /// quotes, and control characters are escaped. Numbers stay unchanged.
    ///
    /// Some spreadsheets split at semicolons as well, hence the quotes around a text with one.
    /// Others split at nothing else: to those the quotes are in the middle of a field and do not
    /// count, hence the apostrophe after a semicolon.
    ///
    /// - Parameter isRaw: only quotes as RFC 4180 requires.
    package func csvField(isRaw: Bool = false) -> String {
        if isRaw || isPlainNumber { return quotedWhereNeeded }
        var shown = printable
        let isSplit = shown.utf8.contains(UInt8(ascii: ";"))
        if isSplit {
            // An empty pair of quotes may stand before a formula.
            for start in String.formulaStarts + ["\""] {
                shown = shown.replacing(ascii: ";\(start)", with: ";'\(start)")
            }
        }
        guard let first = unicodeScalars.first, String.formulaStarts.contains(first) else {
            return isSplit ? shown.quoted : shown.quotedWhereNeeded
        }
        return "'\(shown)".quoted
    }

    private static let formulaStarts: [Unicode.Scalar] = ["=", "+", "-", "@", "\t", "\r", "\n"]

    /// Whether the text is a number as written here: digits, with minus, point and exponent.
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

    private var quoted: String { "\"" + replacing(ascii: "\"", with: "\"\"") + "\"" }

    /// As a shell reads it: quoted where needed.
    package var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy { $0.isAlphanumeric(or: "_./:=@,+-") }
        return isPlain ? self : "'" + replacing(ascii: "'", with: "'\\''") + "'"
    }

    /// Replaces ASCII characters, compared as bytes: `replacing` would miss one that a combining
    /// mark follows.
    package func replacing(ascii part: String, with text: String) -> String {
        String(
            decoding: Array(utf8).replacing(Array(part.utf8), with: Array(text.utf8)),
            as: UTF8.self)
    }
}

extension [String] {
    /// A text in which each element is exactly one line, whatever characters it contains.
    package var printableText: String { map(\.printable).joined(separator: "\n") + "\n" }

    /// One line of comma-separated values.
    package func csvLine(isRaw: Bool) -> [UInt8] {
        [UInt8]((map { $0.csvField(isRaw: isRaw) }.joined(separator: ",") + "\r\n").utf8)
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        // Fast path: most text is ASCII.
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// `\u` and four digits per UTF-16 unit (RFC 8259 §7).
    fileprivate var jsonEscape: String {
        Character(self).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension String {
    /// Filled with spaces to a width; never cut.
    package func padding(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}
