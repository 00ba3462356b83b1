import Foundation

/// Standard input, before anything of it is read.
enum StandardInput {
    /// Returns once there is something to read, or the end. Off the cooperative pool.
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
