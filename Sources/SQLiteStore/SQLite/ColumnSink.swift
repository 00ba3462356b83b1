/// Takes the values of a row's columns: a statement to be run, or bytes to be run later.
protocol ColumnSink {
    mutating func bind(_ parameter: Int32, _ value: Int64)
    mutating func bind(_ parameter: Int32, _ value: Int64?)
    mutating func bind(_ parameter: Int32, _ text: String?)
    mutating func bind(_ parameter: Int32, _ bytes: [UInt8])
}
