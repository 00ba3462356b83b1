import Queries

/// Rows of text under a header.
struct TextTable {
    let header: [String]
    let rows: [[String]]

    /// The width of one column in an aligned table, with the space after it.
    static func width(_ column: [String]) -> Int {
        (column.map(\.printable.count).max() ?? 0) + 2
    }

    /// Columns padded to equal width, separated by two spaces; numbers right-aligned.
    ///
    /// - Parameter leading: the number of left-aligned columns.
    func aligned(leading: Int) -> String {
        // Keeps control characters from the terminal.
        let lines = ([header] + rows).map { $0.map(\.printable) }
        var widths = header.map { _ in 0 }
        for line in lines {
            for (place, cell) in line.enumerated() {
                widths[place] = max(widths[place], cell.count)
            }
        }
        return lines.map { line in
            let cells = line.enumerated().map { place, cell in
                let space = String(repeating: " ", count: widths[place] - cell.count)
                return place < leading ? cell + space : space + cell
            }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }

    /// One decimal place; a dash for nil.
    static func percent(_ rate: Double?) -> String {
        guard let rate else { return "–" }
        // A large sum divided by a tiny base can exceed Int64.
        let thousandths = Int64(min(rate * 1000, 1e15).rounded(.toNearestOrEven))
        return "\(thousandths / 10).\(thousandths % 10) %"
    }
}

extension TextTable {
    /// Milliunits as units, with no, two or three decimal places.
    static func money(_ milliunits: Int64) -> String {
        let (units, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
        let sign = milliunits < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(units)" }
        var digits = String(rest + 1000).dropFirst()
        if digits.last == "0" { digits.removeLast() }
        return "\(sign)\(units).\(digits)"
    }
}
