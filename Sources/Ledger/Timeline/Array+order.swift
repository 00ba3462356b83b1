import AppStore

extension [Int64] {
    /// Sorted and without duplicates, as positions of evidence are listed.
    func ascending() -> [Int64] {
        var positions = sorted()
        var last: Int64?
        positions.removeAll { position in
            defer { last = position }
            return position == last
        }
        return positions
    }
}

extension Array {
    /// Merges two lists that are sorted by time. Each keeps its order; of equal times, the elements
    /// of this list come first.
    func merged(with others: [Element], at time: (Element) -> Timestamp) -> [Element] {
        guard !others.isEmpty else { return self }
        var merged: [Element] = []
        merged.reserveCapacity(count + others.count)
        var next = 0
        for element in self {
            while next < others.count, time(others[next]) < time(element) {
                merged.append(others[next])
                next += 1
            }
            merged.append(element)
        }
        return merged + others[next...]
    }
}
