/// Receives the values of a row's columns: a statement, or a buffer of encoded rows.
protocol ColumnSink {
    mutating func bind(_ parameter: Int32, _ value: Int64)
    mutating func bind(_ parameter: Int32, _ value: Int64?)
    mutating func bind(_ parameter: Int32, _ text: String?)
    mutating func bind(_ parameter: Int32, _ bytes: [UInt8])
}
