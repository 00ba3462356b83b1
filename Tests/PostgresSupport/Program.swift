import Dispatch
import Foundation

/// Runs blocking work off the cooperative pool, which has few threads.
public func offPool<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let result = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: Result { try body() }) }
    }
    return try result.get()
}

/// Attributes for posix_spawn: threads of Dispatch block signals, and `nohup` ignores SIGHUP; a
/// program would inherit both.
public func withoutBlockedSignals<Value>(
    _ body: (UnsafePointer<posix_spawnattr_t>) -> Value
) -> Value {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var hangup = sigset_t()
    sigemptyset(&hangup)
    sigaddset(&hangup, SIGHUP)
    posix_spawnattr_setsigdefault(&attributes, &hangup)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return body(&attributes)
}

/// Starts programs with posix_spawn. (Foundation's `Process` fails with many open descriptors.)
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a program whose output goes to files; the calling thread is its parent.
    static func start(
        _ words: [String], output: String, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let mode = mode_t(0o600)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, mode)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, mode)
        // A directory that another user may enter.
        let all = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"] + words
        let argv = all.map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var process = pid_t()
        let failure = withoutBlockedSignals { attributes in
            posix_spawn(&process, "/bin/sh", &actions, attributes, argv, envp)
        }
        guard failure == 0 else {
            throw Failure(description: String(cString: strerror(failure)))
        }
        return process
    }

    /// Settings of the user's own clusters stay outside.
    private static var variables: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
            .merging(["LC_ALL": "C"]) { $1 }
    }

    /// Runs a program to its end; returns what it printed. Blocks.
    @discardableResult
    static func run(_ words: [String], in directory: String) throws -> String {
        let base = directory + "/" + UUID().uuidString
        let (output, errors) = (base + ".out", base + ".err")
        defer {
            unlink(output)
            unlink(errors)
        }
        let process = try start(words, output: output, errors: errors)
        let status = wait(for: process)
        guard status == 0 else {
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw Failure(description: "\(words.joined(separator: " ")): \(status): \(text)")
        }
        return (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    }

    /// The wait status of a process that ended. Blocks.
    @discardableResult
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
