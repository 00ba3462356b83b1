extension BinaryInteger {
    /// This number of something, for people: `1 event`, `2 events`.
    ///
    /// - Parameters:
    ///   - one: what follows the number 1.
    ///   - several: what follows any other number.
    package func named(_ one: String, _ several: String) -> String {
        "\(self) \(self == 1 ? one : several)"
    }
}
