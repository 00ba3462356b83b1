extension [Int64] {
    /// Sorted and without duplicates, as positions of evidence are listed. There are few, so
    /// sorting costs less than a set.
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
