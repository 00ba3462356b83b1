extension [Int64] {
    /// Ascending, each once: how positions of evidence are listed. They are few, and a set costs
    /// more than to sort them.
    func ascending() -> [Int64] {
        var positions = self
        positions.sort()
        var count = 0
        for index in positions.indices
        where count == 0 || positions[index] != positions[count - 1] {
            positions[count] = positions[index]
            count += 1
        }
        positions.removeLast(positions.count - count)
        return positions
    }
}
