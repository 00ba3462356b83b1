import Foundation
import PostgresSupport

/// A process whose streams are files, so that neither side blocks on the other.
///
/// Foundation's `Process` is not used: on Linux it walks the list of open descriptors before each
/// launch, and reads past its end when other tests hold many (from about 1,365 on; the whole run
/// has had 2,179), which crashes the run with SIGSEGV where no memory follows.
struct Child: Sendable {
    let path: String
    let arguments: [String]
    let directory: String
    let variables: [String: String]
    let input: String
    let output: String
    let errors: String

    private static let shell = "/bin/sh"

    /// The process could not be started, or was ended by a signal.
    struct Failure: Error {
        let reason: String
    }

    /// Starts it and waits for its exit code, off the cooperative pool.
    func run() async throws -> Int32 {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { try Child.wait(for: start()) })
            }
        }
        return try result.get()
    }

    /// Starts it. The caller must wait for its end.
    func start() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY, 0)
        // posix_spawn has no portable way to set the working directory.
        let words = [Child.shell, "-c", "cd \"$0\" && exec \"$@\"", directory, path] + arguments
        let argv = words.map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var process = pid_t()
        let failure = withoutBlockedSignals { attributes in
            posix_spawn(&process, Child.shell, &actions, attributes, argv, envp)
        }
        guard failure == 0 else { throw Failure(reason: String(cString: strerror(failure))) }
        return process
    }

    /// Its exit code. Blocks.
    static func wait(for process: pid_t) throws -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure(reason: String(cString: strerror(errno))) }
        }
        // WIFEXITED and WEXITSTATUS of <sys/wait.h>, which are macros.
        guard status & 0x7F == 0 else { throw Failure(reason: "ended by signal \(status & 0x7F)") }
        return (status >> 8) & 0xFF
    }
}
