extension [UInt8] {
    /// `withUnsafeBufferPointer` with typed throws.
    @inlinable
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer(body)
    }
}
