import SQLiteStore

extension ProjectorLock {
    /// Takes the projector's lock as soon as the service releases it; while it is held, answers
    /// stay behind the log.
    static func held(directory: String) async throws -> ProjectorLock {
        while true {
            if let lock = try ProjectorLock.take(directory: directory) { return lock }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
