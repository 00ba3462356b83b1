/// A body whose client disconnected, or was cut off, before all of it arrived. The response has no
/// reader, so this is not counted as a failure of the service.
struct TruncatedBody: Error {
    /// The connection's error; used for its type only.
    let cause: any Error
}
