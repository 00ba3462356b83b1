extension String {
    /// Without control characters, which would reach the terminal from a stranger's receipt, file name
    /// or account token: they could move the cursor, hide lines, or begin one of their own.
    package var printable: String { withoutControls { _ in false } }

    /// The same of each line; the line feeds stay.
    package var printableLines: String { withoutControls { $0 == "\n" } }

    private func withoutControls(but isKept: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.isUnprintable && !isKept($0) ? "·" : $0 }))
    }
}

extension [String] {
    /// A text of these lines, each of which is one, whatever stands in it.
    var printableText: String { map(\.printable).joined(separator: "\n") + "\n" }
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
}
