import Foundation

/// A running command of the real binary, to be killed or waited for.
struct Launched: Sendable {
    let process: pid_t
    private let out: String
    private let err: String

    /// How it ended.
    enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)

        static let killed = Ending.signalled(SIGKILL)
    }

    init(_ child: Child) throws {
        process = try child.start()
        (out, err) = (child.output, child.errors)
    }

    /// Lets it run for at most this time, then kills it as `kill -9` does; returns whether it had
    /// ended before. Off the cooperative pool.
    func kill(afterMilliseconds limit: Int) async throws -> Ending {
        try await blocking {
            var status: Int32 = 0
            for _ in 0..<limit {
                if waitpid(process, &status, WNOHANG) == process { return ending(status) }
                usleep(1_000)
            }
            Glibc.kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return ending(status)
        }
    }

    /// Kills it as `kill -9` does at the given time, unless it ends before. Off the cooperative
    /// pool.
    func kill(once isTime: @escaping @Sendable () -> Bool) async throws -> Ending {
        try await blocking {
            var status: Int32 = 0
            while !isTime() {
                if waitpid(process, &status, WNOHANG) == process { return ending(status) }
                usleep(1_000)
            }
            Glibc.kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return ending(status)
        }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { Glibc.kill(process, number) }

    /// Waits for its end.
    func outcome() async throws -> Outcome {
        let code = try await blocking { try Child.wait(for: process) }
        return try outcome(code: code)
    }

    /// Its output so far.
    func outcome(code: Int32) throws -> Outcome {
        Outcome(
            code: code, out: try String(contentsOfFile: out, encoding: .utf8),
            err: try String(contentsOfFile: err, encoding: .utf8))
    }

    private func ending(_ status: Int32) -> Ending {
        let number = status & 0x7F
        return number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
    }

    private func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Result { try body() }) }
        }
        return try result.get()
    }
}

extension Workplace {
    /// Starts the binary here with exactly these arguments; its output goes into files of the
    /// workplace, which are removed with it.
    func launch(_ arguments: [String]) throws -> Launched {
        let id = UUID().uuidString
        let names = ["in", "out", "err"].map { file("\(id).\($0)") }
        for name in names { try Data().write(to: URL(filePath: name)) }
        return try Launched(
            Child(
                path: Workplace.binary, arguments: arguments, directory: path,
                variables: Workplace.inherited, input: names[0], output: names[1],
                errors: names[2]))
    }
}
