import Queries

/// Rows of text under a header.
struct TextTable {
    let header: [String]
    let rows: [[String]]

    /// Names and their values, one per line; rows without a value are left out.
    static func labelled(_ rows: [(name: String, value: String?)]) -> [String] {
        rows.compactMap { name, value in value.map { name.padding(to: 16) + $0 } }
    }

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
        let widths = header.indices.map { place in lines.map { $0[place].count }.max() ?? 0 }
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
