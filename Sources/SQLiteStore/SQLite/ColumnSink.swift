/// Receives the values of a row's columns: a statement, or a buffer of encoded rows.
protocol ColumnSink {
    mutating func bind(_ parameter: Int32, _ value: Int64)
    mutating func bind(_ parameter: Int32, _ value: Int64?)
    mutating func bind(_ parameter: Int32, _ text: String?)
    mutating func bind(_ parameter: Int32, _ bytes: [UInt8])
}

extension ColumnSink {
    mutating func bind(_ parameter: Int32, _ value: ColumnValue) {
        switch value {
        case .null: bind(parameter, Int64?.none)
        case .integer(let integer): bind(parameter, integer)
        case .text(let text): bind(parameter, text)
        case .bytes(let bytes): bind(parameter, bytes)
        }
    }
}
