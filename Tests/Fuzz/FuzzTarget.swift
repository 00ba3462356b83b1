/// One door through which bytes of strangers come in, and what must hold whatever they are.
///
/// A target finds nothing wrong, or the process ends: `require` for a broken promise, a trap, the
/// address sanitizer, libFuzzer's limits of time and memory for everything else.
protocol FuzzTarget: Sendable {
    /// What `make fuzz` calls it; also the name of its corpus.
    var name: String { get }
    /// Longest input tried: the limit of the door, or a little more, where that is short enough to
    /// be tried often.
    var maximumByteCount: Int { get }
    /// Inputs to begin with.
    func seeds(_ source: SeedSource) throws -> [[UInt8]]
    /// Tries one input. `bytes` end where the sanitizer's red zone begins, so code that reads
    /// from buffers is given them as they are.
    func run(_ bytes: UnsafeBufferPointer<UInt8>)
}

/// Ends the process, for libFuzzer to keep the input, unless the promise holds.
func require(
    _ promise: Bool, _ message: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    guard !promise else { return }
    fatalError("broken promise: " + message(), file: file, line: line)
}
