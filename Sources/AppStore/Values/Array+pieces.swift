extension Array {
    /// The elements in order, in pieces of at most `size`.
    package func pieces(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { start in
            Array(self[start..<Swift.min(start + size, count)])
        }
    }
}
