import SQLiteStore

extension ProjectorLock {
    /// Takes the projector's lock as soon as the service gives it back: for as long as it is held,
    /// answers stay behind what is appended.
    static func held(directory: String) async throws -> ProjectorLock {
        while true {
            if let lock = try ProjectorLock.take(directory: directory) { return lock }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
