extension Duration {
    /// For people: the larger two of days, hours, minutes and seconds, e.g. `1 h 5 min`.
    package var text: String {
        let seconds = components.seconds
        let units: [(Int64, String)] = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"),
            (seconds % 60, "s"),
        ]
        let parts = units.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
