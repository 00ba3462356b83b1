internal import Foundation

/// Pure work spread over all cores, with ordered results.
package enum Parallel {
    /// Elements below which spreading costs more than it saves.
    package static let minimumCount = 64

    /// Applies `transform` to every element and returns the results in order. Throws the first
    /// error (by chunk).
    ///
    /// - Parameters:
    ///   - count: the minimum number of elements to spread.
    ///   - executor: runs them; nil for the cooperative pool.
    package static func map<Element: Sendable, Result: Sendable, Failure: Error>(
        _ elements: [Element], atLeast count: Int = minimumCount,
        on executor: ComputingExecutor? = nil,
        _ transform: @escaping @Sendable (Element) throws(Failure) -> Result
    ) async throws(Failure) -> [Result] {
        guard elements.count >= count else { return try apply(elements[...], transform) }
        let width = ProcessInfo.processInfo.activeProcessorCount
        guard width > 1 || executor != nil else { return try apply(elements[...], transform) }
        let size = (elements.count + width - 1) / width
        typealias Chunk = (Int, Swift.Result<[Result], Failure>)
        let chunks = await withTaskGroup(of: Chunk.self) { group in
            for start in stride(from: 0, to: elements.count, by: size) {
                let slice = elements[start..<min(start + size, elements.count)]
                group.addTask(executorPreference: executor) {
                    (start, Swift.Result { () throws(Failure) in try apply(slice, transform) })
                }
            }
            var chunks: [Chunk] = []
            for await chunk in group { chunks.append(chunk) }
            return chunks.sorted { $0.0 < $1.0 }
        }
        var results: [Result] = []
        results.reserveCapacity(elements.count)
        for chunk in chunks { results += try chunk.1.get() }
        return results
    }

    private static func apply<Element, Result, Failure: Error>(
        _ elements: ArraySlice<Element>, _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(elements.count)
        for element in elements { results.append(try transform(element)) }
        return results
    }
}
