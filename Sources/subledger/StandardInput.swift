import Foundation

/// Waits for standard input without reading it.
enum StandardInput {
    /// Returns once there is input or the end of it. Blocks off the cooperative pool.
    static func waitForFirstByte() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                while poll(&entry, 1, -1) < 0, errno == EINTR {}
                continuation.resume()
            }
        }
    }
}
