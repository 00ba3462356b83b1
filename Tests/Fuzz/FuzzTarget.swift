/// An entry point for untrusted bytes, with the guarantees that must hold for any input.
///
/// A target succeeds, or the process ends: by `require` for a violated guarantee, or by a trap, the
/// address sanitizer, or libFuzzer's limits of time and memory.
protocol FuzzTarget: Sendable {
    /// The name in `make fuzz`, and of its corpus.
    var name: String { get }
    /// The longest input: the entry point's limit, or slightly more, if that is short enough to be
    /// tested often.
    var maximumByteCount: Int { get }
    /// The initial inputs.
    func seeds(_ source: SeedSource) throws -> [[UInt8]]
    /// Runs one input. `bytes` end at the sanitizer's red zone, so code that reads from buffers
    /// receives them without a copy.
    func run(_ bytes: UnsafeBufferPointer<UInt8>)
}

/// Ends the process, so that libFuzzer keeps the input, unless the guarantee holds.
func require(
    _ promise: Bool, _ message: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    guard !promise else { return }
    fatalError("violated: " + message(), file: file, line: line)
}
