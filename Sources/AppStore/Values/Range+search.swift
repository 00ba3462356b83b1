extension Range<Int> {
    /// Binary search: the first number for which a condition holds that also holds for all later
    /// ones; `upperBound` if it holds for none.
    @inlinable
    package func partitioningIndex(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
