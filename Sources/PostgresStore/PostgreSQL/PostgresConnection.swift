internal import CPostgres
internal import Foundation
internal import Synchronization

/// A connection to PostgreSQL. Blocks its thread: it is opened, used and closed on one thread
/// (`ConnectionThreads`).
///
/// After an error for which `isConnectionLost` holds it is unusable.
final class PostgresConnection {
    private let handle: OpaquePointer
    private let notices = Notices()
    /// The names of the statements prepared on this connection, by their text.
    private var prepared: [String: String] = [:]
    /// Statements prepared so far; their names are not used again.
    private var preparedCount = 0
    /// The statements that were prepared, by schema: for tests of their plans.
    static let known = Mutex<[String: Set<String>]>([:])
    private(set) var isUsable = true
    /// The schema that statements name.
    let schema: String
    /// Timeout while an answer is expected and the server sends nothing.
    var answerTimeout: Duration

    /// Opens the connection. Throws `unreachable`, `loginRefused`, or `refused` with
    /// `tooManyConnections`.
    init(_ place: PostgresLocation, answerTimeout: Duration) throws(PostgresError) {
        schema = place.schema
        self.answerTimeout = answerTimeout
        var refusals: [String] = []
        let opened = PostgresConnection.connect(place.completed, &refusals)
        guard let opened else {
            throw PostgresError(.unreachable, "Memory is exhausted.")
        }
        handle = opened
        guard PQstatus(opened) == CONNECTION_OK else {
            // The initialiser failed: deinit runs, and closes the handle.
            throw PostgresConnection.loginError(opened, after: refusals)
        }
        PQsetnonblocking(handle, 1)
        PQsetNoticeReceiver(
            handle, Notices.receiver, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { PQfinish(handle) }

    /// libpq tries the next host after one that refuses the connection, but not after one that
    /// accepts and closes it, as the proxy of a server that is down does, nor after one that has no
    /// connection left. Adds why each was passed over.
    private static func connect(
        _ string: ConnectionString, _ refusals: inout [String]
    ) -> OpaquePointer? {
        guard let handle = open(string) else { return nil }
        guard PQstatus(handle) != CONNECTION_OK, loginError(handle).kind != .loginRefused,
            let host = PQhost(handle), let port = PQport(handle),
            let rest = string.after(host: String(cString: host), port: String(cString: port))
        else { return handle }
        refusals.append(message(handle))
        PQfinish(handle)
        return connect(rest, &refusals)
    }

    private static func open(_ string: ConnectionString) -> OpaquePointer? {
        var keywords: [UnsafePointer<CChar>?] = []
        var values: [UnsafePointer<CChar>?] = []
        var copies: [UnsafeMutablePointer<CChar>?] = []
        defer { for copy in copies { free(copy) } }
        for option in string.options {
            let (keyword, value) = (strdup(option.keyword), strdup(option.value))
            copies += [keyword, value]
            keywords.append(keyword)
            values.append(value)
        }
        return PQconnectdbParams(keywords + [nil], values + [nil], 0)
    }

    /// libpq names the server's code only in results: a refused login is known by its text.
    ///
    /// - Parameter refusals: why other hosts were passed over.
    private static func loginError(
        _ handle: OpaquePointer, after refusals: [String] = []
    ) -> PostgresError {
        let line = (refusals + [message(handle)]).joined(separator: "; ")
        func states(_ texts: String...) -> Bool {
            line.contains("FATAL") && texts.contains { line.contains($0) }
        }
        let isLogin = states(
            "authentication failed", "no password supplied", "pg_hba.conf", "does not exist",
            "permission denied", "not permitted to log in")
        if isLogin || PQconnectionNeedsPassword(handle) != 0 {
            return PostgresError(.loginRefused, line)
        }
        let isFull = states(
            "too many connections", "too many clients", "remaining connection slots")
        return PostgresError(isFull ? .refused(.tooManyConnections) : .unreachable, line)
    }

    /// The server's version, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// A parameter that the server reports at the start, such as `server_encoding`.
    func serverParameter(_ name: String) -> String? {
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    /// The value in use of a keyword of the connection string, also from the environment or a
    /// service file.
    func option(_ keyword: String) -> String? {
        guard let options = PQconninfo(handle) else { return nil }
        defer { PQconninfoFree(options) }
        var option = options
        while let name = option.pointee.keyword {
            if String(cString: name) == keyword {
                return option.pointee.val.map { String(cString: $0) }
            }
            option += 1
        }
        return nil
    }

    /// The codes of notices and warnings since the last call.
    func takeNotices() -> [SQLState] { notices.take() }

    // MARK: Statements

    /// Runs one statement.
    func run(_ command: Command) throws(PostgresError) -> QueryResult {
        try run([command])[0]
    }

    /// Runs statements that only read, all with one snapshot.
    func read(_ commands: [Command]) throws(PostgresError) -> [QueryResult] {
        do throws(PostgresError) {
            let all = [Statement.snapshot.with()] + commands + [Statement.commit.with()]
            return Array(try run(all)[1...commands.count])
        } catch {
            rollBack()
            throw error
        }
    }

    func rollBack() { _ = try? run(Statement.rollback.with()) }

    /// Sends all statements at once and returns their results in order: one round trip. Outside
    /// BEGIN … COMMIT they are one transaction. After a failure the rest is not executed; throws
    /// the first error.
    func run(_ commands: [Command]) throws(PostgresError) -> [QueryResult] {
        guard isUsable else { throw lost() }
        if PQpipelineStatus(handle) == PQ_PIPELINE_OFF, PQenterPipelineMode(handle) == 0 {
            throw lost()
        }
        var expected: [Expected] = []
        var preparing: [String: String] = [:]
        for command in commands {
            let sql = command.statement.sql
            if let name = prepared[sql] ?? preparing[sql] {
                guard send(command, name) else { throw lost() }
            } else {
                preparedCount += 1
                let name = "s\(preparedCount)"
                preparing[sql] = name
                PostgresConnection.known.withLock { _ = $0[schema, default: []].insert(sql) }
                let text = sql.replacing("@", with: "\"\(schema)\".")
                guard PQsendPrepare(handle, name, text, 0, nil) == 1, send(command, name) else {
                    throw lost()
                }
                expected.append(.prepared(sql, name))
            }
            expected.append(.rows)
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        return try results(expected)
    }

    /// Runs a script of statements without parameters, in one transaction unless it says otherwise.
    func run(script: String) throws(PostgresError) {
        guard isUsable else { throw lost() }
        if PQpipelineStatus(handle) != PQ_PIPELINE_OFF, PQexitPipelineMode(handle) == 0 {
            throw lost()
        }
        guard PQsendQuery(handle, script) == 1 else { throw lost() }
        try flush()
        var failure: PostgresError?
        while let result = try nextResult() {
            failure = failure ?? error(of: result)
        }
        if let failure { throw failure }
    }

    /// The statement or command a result belongs to.
    private enum Expected {
        case prepared(_ sql: String, _ name: String)
        case rows
    }

    private func send(_ command: Command, _ name: String) -> Bool {
        let parameters = command.parameters
        return parameters.bytes.withUnsafeBytes { bytes in
            // A value without bytes is not NULL.
            let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            let values = parameters.ranges.map { range in
                range.flatMap { start?.advanced(by: $0.lowerBound) }?
                    .assumingMemoryBound(to: CChar.self)
            }
            let lengths = parameters.ranges.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: values.count)
            return PQsendQueryPrepared(
                handle, name, Int32(values.count), values, lengths, formats, 1)
                == 1
        }
    }

    private func results(_ expected: [Expected]) throws(PostgresError) -> [QueryResult] {
        try flush()
        var results: [QueryResult] = []
        var failure: PostgresError?
        for entry in expected {
            guard let result = try nextResult() else { throw lost() }
            if let error = error(of: result) {
                failure = failure ?? error
            } else {
                switch entry {
                case .prepared(let sql, let name): prepared[sql] = name
                case .rows: results.append(result)
                }
            }
            guard isUsable else { break }
            // A null result ends those of a statement.
            while try nextResult() != nil {}
        }
        guard isUsable else { throw failure ?? lost() }
        guard try nextResult()?.status == PGRES_PIPELINE_SYNC else { throw failure ?? lost() }
        if let failure { throw failure }
        return results
    }

    private func error(of result: QueryResult) -> PostgresError? {
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC: return nil
        default: break
        }
        guard let refusal = result.refusal else {
            guard PQstatus(handle) == CONNECTION_OK else { return lost() }
            return PostgresError(.unexpectedValue, "A statement was not executed.")
        }
        guard !refusal.isFatal, PQstatus(handle) == CONNECTION_OK else {
            isUsable = false
            return PostgresError(.lost, refusal.message)
        }
        return PostgresError(.refused(refusal.state), refusal.message)
    }

    /// The payloads of notifications to this session, after `LISTEN`; waits for the first.
    func notifications(within milliseconds: Int32) throws(PostgresError) -> [String] {
        guard isUsable else { throw lost() }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    // MARK: Waiting

    private func flush() throws(PostgresError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: try wait(writing: true)
            default: throw lost()
            }
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    private func nextResult() throws(PostgresError) -> QueryResult? {
        while PQisBusy(handle) == 1 {
            try wait(writing: false)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        return PQgetResult(handle).map { QueryResult(owning: $0) }
    }

    private func wait(writing: Bool) throws(PostgresError) {
        let events = Int16(writing ? POLLIN | POLLOUT : POLLIN)
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let end = ContinuousClock.now + answerTimeout
        while true {
            let left = max(.zero, ContinuousClock.now.duration(to: end))
            let count = poll(&descriptor, 1, Int32(left / .milliseconds(1)) + 1)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw lost() }
            guard ContinuousClock.now < end else {
                isUsable = false
                throw PostgresError(.timedOut, "The server did not answer.")
            }
        }
    }

    /// What libpq reports, in one line.
    private static func message(_ handle: OpaquePointer) -> String {
        String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix { $0.isWhitespace } }.joined(separator: "; ")
    }

    private func lost() -> PostgresError {
        isUsable = false
        let line = PostgresConnection.message(handle)
        return PostgresError(.lost, line.isEmpty ? "The connection is closed." : line)
    }
}

/// Receives notices and warnings of a connection, on its thread.
private final class Notices {
    private var states: [SQLState] = []

    func take() -> [SQLState] {
        defer { states = [] }
        return states
    }

    static let receiver: PQnoticeReceiver = { context, result in
        guard let context, let state = PQresultErrorField(result, subledger_diag_sqlstate) else {
            return
        }
        let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
        notices.states.append(SQLState(rawValue: String(cString: state)))
    }
}
