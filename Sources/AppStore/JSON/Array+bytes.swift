extension [UInt8] {
    /// `withUnsafeBufferPointer`, with the error's type kept.
    @inlinable
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer(body)
    }
}
