internal import COpenSSL

/// OpenSSL's error queue of the current thread. Its texts name memory and inputs we did not
/// choose, so they are dropped: what failed is said by our own codes.
enum ErrorQueue {
    /// Runs `body` with an empty queue and leaves an empty one behind (OpenSSL, ERR_get_error(3):
    /// the queue is per thread and survives until it is read).
    static func contained<Result: ~Copyable>(_ body: () -> Result) -> Result {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return body()
    }
}
