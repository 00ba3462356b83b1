/// Makes a list of ids of what people have.
struct IdListReader {
    private(set) var list = IdList()
    private var known: Set<String> = []

    /// Columns that hold ids, the best first: an original id names a whole chain in one question.
    /// RevenueCat and Adapty call them so in their exports, Apple in its own JSON.
    static let idColumns = [
        "original_store_transaction_id", "store_original_transaction_id",
        "original_transaction_id", "originalTransactionId", "vendor_original_transaction_id",
        "apple_original_transaction_id", "store_transaction_id", "vendor_transaction_id",
        "transaction_id", "transactionId", "app_transaction_id", "appTransactionId",
    ]

    /// Says in which store something was bought.
    static let storeColumn = "store"
    /// Apple's stores there; an empty one may be.
    static let appleStores: Set<String> = ["appstore", "macappstore", "apple", "ios", ""]
    private static let delimiters: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"),
    ]

    /// Reads a whole list. Throws `noIdColumn` or `tooManyIds`.
    static func read(_ bytes: [UInt8]) throws(IdListProblem) -> IdList {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let line = bytes[start...].prefix { $0 != UInt8(ascii: "\n") }
        let delimiter = delimiters.max { one, two in
            line.count { $0 == one } < line.count { $0 == two }
        }
        var reader = IdListReader()
        if let delimiter {
            var records = CSVReader(bytes, from: start, delimiter: delimiter)
            let header = records.next()
            let names = header?.fields.map { records.text($0) } ?? []
            if let column = idColumn(names) {
                try reader.read(&records, names, column: column)
                return reader.list
            }
            // A plain list has no header; what has several columns is none.
            if names.count > 1 { throw .noIdColumn }
        }
        try reader.read(lines: bytes[start...])
        return reader.list
    }

    /// The best column of ids; nil when there is none.
    private static func idColumn(_ names: [String]) -> Int? {
        let plain = names.map { folded($0) }
        return idColumns.lazy.compactMap { plain.firstIndex(of: folded($0)) }.first
    }

    /// A name in lower case, letters and digits only.
    private static func folded(_ name: String) -> String {
        String(
            decoding: name.lowercased().utf8.filter {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }, as: UTF8.self)
    }

    // MARK: Reading

    private mutating func read(
        _ records: inout CSVReader, _ names: [String], column: Int
    ) throws(IdListProblem) {
        list.column = names[column]
        let store = names.firstIndex { IdListReader.folded($0) == IdListReader.storeColumn }
        while let record = records.next() {
            if let flaw = record.flaw {
                refuse(record.line, flaw)
                continue
            }
            if let store, store < record.fields.count {
                let name = IdListReader.folded(records.text(record.fields[store]))
                guard IdListReader.appleStores.contains(name) else {
                    list.otherStores += 1
                    continue
                }
            }
            guard column < record.fields.count else {
                refuse(record.line, "the record ends before its column of ids")
                continue
            }
            take(records.text(record.fields[column]), line: record.line)
            try requireRoom()
        }
    }

    private mutating func read(lines: ArraySlice<UInt8>) throws(IdListProblem) {
        var number = 0
        for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let blanks: [UInt8] = [0x20, 0x09, 0x0D]
            let text = line.drop { blanks.contains($0) }
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            guard text.count <= BackfillLimits.recordByteCount else {
                refuse(number, "it is too long for an id")
                continue
            }
            var end = text.endIndex
            while end > text.startIndex, blanks.contains(text[end - 1]) { end -= 1 }
            take(String(decoding: text[..<end], as: UTF8.self), line: number)
            try requireRoom()
        }
    }

    /// Takes an id, unless it is none or was there before.
    mutating func take(_ id: String, line: Int) {
        guard !id.isEmpty else { return refuse(line, "it holds no id") }
        guard id.utf8.count <= BackfillLimits.idByteCount else {
            return refuse(line, "it is too long for an id")
        }
        guard id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return refuse(line, "it is no id of Apple's: those have digits only")
        }
        guard known.insert(id).inserted else {
            list.repeated += 1
            return
        }
        list.ids.append(id)
    }

    private func requireRoom() throws(IdListProblem) {
        guard list.ids.count <= BackfillLimits.idCount else { throw .tooManyIds }
    }

    private mutating func refuse(_ line: Int, _ reason: String) {
        guard list.badLines.count < BackfillLimits.badLineCount else {
            list.badLinesOmitted += 1
            return
        }
        list.badLines.append(IdList.BadLine(line: line, reason: reason))
    }
}
