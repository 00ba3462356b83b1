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
}
