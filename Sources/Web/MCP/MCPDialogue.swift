internal import AppStore

/// Answers the lines of standard input: calls of tools concurrently, so that one that waits for
/// data delays no other message; everything else immediately. Responses are written one at a time,
/// in the order in which they are ready.
package actor MCPDialogue {
    private let server: MCPServer
    private let write: @Sendable ([UInt8]) throws -> Void
    /// Calls without a response, by order of arrival.
    private var calls: [Int: Call] = [:]
    private var takenCount = 0
    /// The reader of lines, while it waits for a call to end.
    private var reader: CheckedContinuation<Void, Never>?
    /// Why a response was not written.
    private var failure: (any Error)?

    private struct Call {
        let id: JSONValue?
        let task: Task<Void, Never>
    }

    /// - Parameter write: writes one response, which has no line feed.
    package init(_ server: MCPServer, write: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.server = server
        self.write = write
    }

    /// Calls without a response.
    var openCallCount: Int { calls.count }

    /// Takes one line; a line that is not a message gets an error as its response. Returns when the
    /// next line can be taken: for a call beyond `MCPLimits.openCallCount`, when another one has
    /// ended.
    ///
    /// Throws what `write` threw, also for an earlier line. Called by one reader at a time.
    ///
    /// - Parameter isTooLong: only the beginning of the line was kept.
    package func take(_ line: [UInt8], isTooLong: Bool) async throws {
        let message: MCPMessage
        do throws(Problem) {
            message = try server.message(ofLine: line, isTooLong: isTooLong)
        } catch {
            try write(MCPError(error).response(to: nil))
            return
        }
        if let id = message.cancelledId {
            for call in calls.values where call.id == id { call.task.cancel() }
        } else if message.isCall {
            while calls.count >= MCPLimits.openCallCount { await callEnds() }
            begin(message)
        } else if let response = await server.response(toLine: message) {
            try write(response)
        }
        if let failure { throw failure }
    }

    /// Waits until every call has ended. Throws what `write` threw.
    package func finish() async throws {
        while !calls.isEmpty { await callEnds() }
        if let failure { throw failure }
    }

    private func callEnds() async {
        await withCheckedContinuation { reader = $0 }
    }

    private func begin(_ message: MCPMessage) {
        let number = takenCount
        takenCount += 1
        let task = Task {
            let response = await server.response(toLine: message)
            end(number, response)
        }
        calls[number] = Call(id: message.id, task: task)
    }

    /// Runs in the call's task. A cancelled call has no response.
    private func end(_ number: Int, _ response: [UInt8]?) {
        calls[number] = nil
        if let response, !Task.isCancelled, failure == nil {
            do { try write(response) } catch { failure = error }
        }
        reader?.resume()
        reader = nil
    }
}
