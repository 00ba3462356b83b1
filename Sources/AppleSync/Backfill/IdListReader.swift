import AppStore

/// Parses a list of ids.
struct IdListReader {
    private(set) var list = IdList()
    private var known: Set<String> = []
    /// Maximum number of ids in the list.
    private let idCount: Int

    init(idCount: Int = BackfillLimits.idCount) { self.idCount = idCount }

    /// Columns with ids, best first: an original id covers a whole chain in one request. The names
    /// are those in exports of RevenueCat and Adapty, and in Apple's JSON.
    static let idColumns = [
        "original_store_transaction_id", "store_original_transaction_id",
        "original_transaction_id", "originalTransactionId", "vendor_original_transaction_id",
        "apple_original_transaction_id", "store_transaction_id", "vendor_transaction_id",
        "transaction_id", "transactionId", "app_transaction_id", "appTransactionId",
    ]

    /// The column with the store of a purchase.
    static let storeColumn = "store"
    /// Folded names of Apple's stores; an empty one may be Apple's.
    static let appleStores: Set<String> = [
        "appstore", "macappstore", "apple", "appleappstore", "applemacappstore",
        "itunes", "itunesstore", "appleitunes", "ios", "macos", "",
    ]
    private static let delimiters: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"),
    ]
    private static let newline = UInt8(ascii: "\n")
    private static let comment = UInt8(ascii: "#")
    static let blanks: [UInt8] = [0x20, 0x09, 0x0D]

    /// Reads a list of at most `idCount` ids. Blank lines and comments may precede the header of a
    /// CSV file. Throws `noIdColumn`, `tooManyIds` or `unknownEncoding`.
    static func read(
        _ file: [UInt8], idCount: Int = BackfillLimits.idCount
    ) throws(InputProblem) -> IdList {
        let bytes = try IdListText.read(file)
        var reader = IdListReader(idCount: idCount)
        var (number, rest) = (0, bytes[...])
        while !rest.isEmpty {
            let (start, line) = (rest.startIndex, rest.prefix { $0 != newline })
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            guard let first = line.first(where: { !blanks.contains($0) }) else { continue }
            var records = CSVReader(
                bytes, from: start, line: number, delimiter: delimiter(of: line))
            let names = records.next()?.fields.map { records.text($0) } ?? []
            // A header may begin with a column named "#".
            let columns = first == comment && names.first != "#" ? [] : idColumns(names)
            if !columns.isEmpty {
                try reader.read(&records, names, columns)
                return reader.list
            }
            if first == comment { continue }
            // A plain list has neither a header nor several columns.
            if names.count > 1 { throw .noIdColumn }
            break
        }
        try reader.read(lines: bytes[...])
        return reader.list
    }

    /// The most frequent delimiter of a line.
    private static func delimiter(of line: ArraySlice<UInt8>) -> UInt8 {
        delimiters.max { one, two in
            line.count { $0 == one } < line.count { $0 == two }
        } ?? UInt8(ascii: ",")
    }

    /// Indices of the columns with ids, best first.
    private static func idColumns(_ names: [String]) -> [Int] {
        let plain = names.map { folded($0) }
        return idColumns.compactMap { plain.firstIndex(of: folded($0)) }
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

    /// A record's id is in the first of `columns` that is not empty.
    private mutating func read(
        _ records: inout CSVReader, _ names: [String], _ columns: [Int]
    ) throws(InputProblem) {
        list.column = columns.first.map { names[$0] }
        let store = names.firstIndex { IdListReader.folded($0) == IdListReader.storeColumn }
        while let record = records.next() {
            if let flaw = record.flaw {
                refuse(record.line, flaw)
                continue
            }
            if let store, store < record.fields.count {
                let name = IdListReader.folded(records.text(record.fields[store]))
                guard IdListReader.appleStores.contains(name) else {
                    leaveOut(name)
                    continue
                }
            }
            let present = columns.filter { $0 < record.fields.count }
            guard !present.isEmpty else {
                refuse(record.line, "the record ends before its column of ids")
                continue
            }
            let id = present.first { !records.text(record.fields[$0]).isEmpty } ?? present[0]
            take(records.text(record.fields[id]), line: record.line)
            try requireRoom()
        }
    }

    /// Counts a record whose store is not known to be Apple's, by store name.
    private mutating func leaveOut(_ store: String) {
        let name = String(store.prefix(BackfillLimits.storeNameLength))
        if let index = list.stores.firstIndex(where: { $0.name == name }) {
            list.stores[index].count += 1
        } else if list.stores.count < BackfillLimits.storeCount {
            list.stores.append(IdList.Store(name: name, count: 1))
        } else {
            list.furtherStores += 1
        }
    }

    private mutating func read(lines: ArraySlice<UInt8>) throws(InputProblem) {
        // Line by line: the slices of all lines of a large file take far more than the file.
        var (number, rest) = (0, lines)
        while !rest.isEmpty {
            let line = rest.prefix { $0 != IdListReader.newline }
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            let blanks = IdListReader.blanks
            let text = line.drop { blanks.contains($0) }
            guard let first = text.first, first != IdListReader.comment else { continue }
            guard text.count <= BackfillLimits.recordByteCount else {
                refuse(number, "the id is too long")
                continue
            }
            var end = text.endIndex
            while end > text.startIndex, blanks.contains(text[end - 1]) { end -= 1 }
            take(String(decoding: text[..<end], as: UTF8.self), line: number)
            try requireRoom()
        }
    }

    /// Adds an id, unless it is invalid or a duplicate.
    mutating func take(_ id: String, line: Int) {
        if let flaw = IdList.flaw(id) { return refuse(line, flaw) }
        guard known.insert(id).inserted else {
            list.repeated += 1
            return
        }
        list.ids.append(id)
    }

    private func requireRoom() throws(InputProblem) {
        guard list.ids.count <= idCount else { throw .tooManyIds }
    }

    private mutating func refuse(_ line: Int, _ reason: String) {
        list.badLines.append(
            IdList.BadLine(line: line, reason: reason), upTo: BackfillLimits.badLineCount,
            omitted: &list.badLinesOmitted)
    }
}
