extension Array {
    /// The elements in order, in pieces of at most that many.
    package func pieces(of pieceCount: Int) -> [[Element]] {
        stride(from: 0, to: count, by: pieceCount).map { start in
            Array(self[start..<Swift.min(start + pieceCount, count)])
        }
    }
}
