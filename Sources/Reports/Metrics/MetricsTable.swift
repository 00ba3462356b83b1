internal import Queries

/// Rows of text under a header.
public struct MetricsTable: Sendable {
    /// How a table is written. Raw values are the contract's.
    public enum Form: String, Sendable, CaseIterable {
        case text
        case csv
        /// Texts as they are, for machines: a spreadsheet may run them.
        case rawCSV = "csv-raw"
    }

    let header: [String]
    let rows: [[String]]

    /// RFC 4180.
    ///
    /// - Parameter isRaw: texts as they are (`String.csvField`).
    func csv(isRaw: Bool) -> [UInt8] {
        ([header] + rows).flatMap { row in
            let fields = row.map { $0.csvField(isRaw: isRaw) }
            return Array((fields.joined(separator: ",") + "\r\n").utf8)
        }
    }

    /// Columns of one width, two spaces between them; numbers to the right.
    ///
    /// - Parameter leading: how many columns stand to the left.
    func aligned(leading: Int) -> String {
        // Control characters do not reach the terminal.
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

    /// One digit behind the point; a dash for none.
    static func percent(_ rate: Double?) -> String {
        guard let rate else { return "–" }
        // A sum by the smallest there is may be more than a number of thousandths.
        let thousandths = Int64(min(rate * 1000, 1e15).rounded(.toNearestOrEven))
        return "\(thousandths / 10).\(thousandths % 10) %"
    }
}

extension MetricsTable {
    /// Milliunits as units, with as many digits as there are.
    static func money(_ milliunits: Int64) -> String {
        let (units, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
        let sign = milliunits < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(units)" }
        var digits = String(rest + 1000).dropFirst()
        if digits.last == "0" { digits.removeLast() }
        return "\(sign)\(units).\(digits)"
    }
}
