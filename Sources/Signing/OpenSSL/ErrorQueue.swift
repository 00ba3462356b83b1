internal import COpenSSL

/// OpenSSL's error queue of the current thread. Its messages contain memory and input details, so
/// they are dropped; this module's own codes report the failure.
package enum ErrorQueue {
    /// Runs `body` with an empty queue and empties it afterwards (OpenSSL, ERR_get_error(3): the
    /// queue is per thread and persists until it is read).
    package static func contained<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return try body()
    }
}
