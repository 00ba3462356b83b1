extension Array {
    /// Appends to a list of at most `limit` elements; beyond it the element is only counted.
    package mutating func append(
        _ element: Element, upTo limit: Int, omitted: inout some BinaryInteger
    ) {
        if count < limit {
            append(element)
        } else {
            omitted += 1
        }
    }
}
