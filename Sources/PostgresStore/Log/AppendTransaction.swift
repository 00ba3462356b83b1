internal import Ledger
internal import LedgerStore

/// The append algorithm: two round trips around one transaction, which locks the head row first.
///
/// READ COMMITTED suffices: each statement after the lock sees everything that was committed before
/// the lock was granted.
struct AppendTransaction {
    let connection: PostgresConnection
    let location: String
    let faults: (any CommitFaults)?

    /// What a transaction changed, to determine whether a COMMIT without an answer took effect.
    struct Outcome {
        let answers: [[AppendResult]]
        let rows: [RecordedEvent]
        /// Valid once the transaction is committed.
        let headers: KnownHeaders

        /// Whether the transaction is in the log: the leaves at its positions are its own. All are
        /// compared, since another node may have appended an equal event at the last position.
        func isDurable(_ leaves: QueryResult) -> Bool {
            guard !rows.isEmpty else { return false }
            return leaves.rows.map { $0.digest(1) } == rows.map(\.leafHash)
        }
    }

    /// A failure, and whether the transaction may be committed nevertheless.
    enum Failure: Error {
        /// Nothing was written.
        case failed(any Error)
        /// COMMIT was sent, and its outcome is unknown: what it would have changed.
        case unknown(Outcome, PostgresError)
    }

    /// Appends the events of all batches.
    ///
    /// COMMIT is sent even if all events are known: its answer confirms that the rows that were
    /// found are durable, and on a synchronous standby if there is one. A cancelled wait for a
    /// standby leaves rows that are visible and not replicated.
    ///
    /// - Parameters:
    ///   - known: headers already stored.
    ///   - seen: the newest event that this node has seen; the log must hold it.
    ///   - earlier: an outcome of the same batches that is unknown.
    ///   - isProbe: whether the head row is written although nothing is appended.
    ///   - needsRoom: whether a probe fails if the disk has no room for events; writing the head
    ///     row alone needs none.
    func run(
        _ batches: [AppendBatch], headers known: KnownHeaders, seen: ProjectionCursor,
        resolving earlier: Outcome? = nil, isProbe: Bool = false,
        needsRoom: Bool = false
    ) throws(Failure) -> Outcome {
        let prepared: (outcome: Outcome, commands: [Command])
        do {
            prepared = try prepare(
                batches, known, seen, earlier, isProbe ? probe(needsRoom: needsRoom) : [])
        } catch {
            connection.rollBack()
            throw .failed(error)
        }
        do { try faults?.willCommit() } catch {
            connection.rollBack()
            throw .unknown(prepared.outcome, PostgresError(.lost, "COMMIT was not sent."))
        }
        do throws(PostgresError) {
            _ = connection.takeNotices()
            let results = try connection.run(prepared.commands)
            // A COMMIT of a failed transaction is answered with ROLLBACK.
            guard results.last?.command == "COMMIT" else {
                throw PostgresError(.unexpectedValue, "The transaction was rolled back.")
            }
            guard !connection.takeNotices().contains(.warning) else {
                throw PostgresError(.lost, "The wait for a synchronous standby was cancelled.")
            }
        } catch {
            if error.isConnectionLost { throw .unknown(prepared.outcome, error) }
            connection.rollBack()
            throw .failed(error)
        }
        do { try faults?.didCommit() } catch {
            throw .unknown(prepared.outcome, PostgresError(.lost, "The answer was lost."))
        }
        return prepared.outcome
    }

    /// The first round trip, and the placing of the events.
    private func prepare(
        _ batches: [AppendBatch], _ known: KnownHeaders, _ seen: ProjectionCursor,
        _ earlier: Outcome?, _ probe: [Command]
    ) throws -> (outcome: Outcome, commands: [Command]) {
        var headers = HeaderTable(known: known, location: location)
        let events = batches.flatMap(\.events)
        let keys = Array(Set(events.map(\.key)))
        var commands = [
            Statement.begin.with(), Statement.log.lockHead.with(),
            Statement.log.known.bind { $0.add(keys, bytes: { $0 }) },
            Statement.log.leaf.with(seen.position),
        ]
        let lookup = headers.lookup(of: events.map(\.evidence.packed))
        if let lookup { commands.append(lookup) }
        if let earlier {
            commands.append(
                Statement.log.leaves.bind { $0.add(earlier.rows, integer: { $0.position }) })
        }
        let results = try connection.run(commands)
        let head = try HeadRow(results[1], location: location)
        try require(seen, results[3], head)
        if lookup != nil { try headers.take(results[4]) }
        if let earlier, let leaves = results.last, earlier.isDurable(leaves) {
            // The earlier COMMIT took effect. Writing the head row makes this COMMIT wait for it.
            return (earlier, [Statement.log.touchHead.with(), Statement.commit.with()])
        }
        var placed = PlacedEvents(
            after: head, known: try PlacedEvents.known(results[2], location: location),
            stored: { try storedEvidence(at: $0) })
        var answers: [[AppendResult]] = []
        for batch in batches {
            let isOvertaken = try isOvertaken(batch, placed.rows)
            answers.append(isOvertaken ? [] : try batch.events.map { try placed.place($0) })
        }
        let writes = try writes(of: placed, &headers)
        let outcome = Outcome(answers: answers, rows: placed.rows, headers: headers.committed)
        let last = (writes.isEmpty ? probe : writes) + [Statement.commit.with()]
        return (outcome, last)
    }

    /// For the few events whose claims are compared. Nil when erased; throws `fileCorrupt` when it
    /// is damaged.
    private func storedEvidence(at position: Int64) throws -> PackedEvidence? {
        let row = try connection.run(
            Statement.log.evidenceAt.bind { $0.add([position], integer: { $0 }) }
        ).first
        guard let row else {
            throw StoreError.contradiction(location, "Position \(position) has no evidence row.")
        }
        let stored = try EvidenceRow(row)
        var headers = HeaderTable(known: KnownHeaders(), location: location)
        var ids: Set<Int64> = []
        stored.addHeaderIds(to: &ids)
        try headers.load(ids: ids, connection)
        return try stored.packed(headers)
    }

    /// The writes of a probe.
    private func probe(needsRoom: Bool) -> [Command] {
        let room = [
            Statement.savepoint.with(), Statement.log.takeRoom.with(),
            Statement.rollbackToSavepoint.with(),
        ]
        return (needsRoom ? room : []) + [Statement.log.touchHead.with()]
    }

    /// Whether the log, or `rows` before the batch in the same transaction, has events that the
    /// batch does not admit.
    private func isOvertaken(_ batch: AppendBatch, _ rows: [RecordedEvent]) throws -> Bool {
        let newer: Command
        if let scope = batch.erasure {
            if rows.contains(where: scope.mayCover) { return true }
            newer = Statement.log.newer.bind {
                $0.add(scope.position)
                $0.add(scope.chains, bytes: { $0 })
            }
        } else if let position = batch.erasuresThrough {
            if rows.contains(where: { $0.attributes.kind == .erasure }) { return true }
            newer = Statement.log.erasures.with(position)
        } else {
            return false
        }
        return try connection.run(newer).first?.int64(0) != 0
    }

    private func require(
        _ seen: ProjectionCursor, _ leaf: QueryResult, _ head: HeadRow
    ) throws {
        guard seen.position > 0 else { return }
        guard head.tree.size >= seen.position, leaf.first?.digest(0) == seen.leafHash else {
            throw LogWentBack(head: head.tree.size)
        }
    }

    private func writes(
        of placed: PlacedEvents, _ headers: inout HeaderTable
    ) throws -> [Command] {
        guard !placed.rows.isEmpty else { return [] }
        var bytes: [[UInt8]?] = []
        bytes.reserveCapacity(placed.evidence.count)
        for evidence in placed.evidence {
            guard let evidence else {
                bytes.append(nil)
                continue
            }
            var ids: [Int64] = []
            for header in evidence.headers { ids.append(try headers.id(of: header)) }
            bytes.append(EvidenceColumn.encode(evidence, headerIds: ids))
        }
        var commands: [Command] = []
        if !headers.added.isEmpty {
            commands.append(
                Statement.log.insertHeaders.bind {
                    $0.add(headers.added, integer: { $0.id })
                    $0.add(headers.added, bytes: { $0.header.hash })
                    $0.add(headers.added, bytes: { $0.header.bytes })
                })
        }
        commands.append(Statement.log.insertEvents.bind { EventColumns.bind(placed.rows, to: &$0) })
        commands.append(
            Statement.log.insertEvidence.bind {
                $0.add(placed.rows, integer: { $0.position })
                $0.add(placed.evidence, integer: { $0?.form.rawValue ?? 0 })
                $0.add(bytes, bytes: { $0 })
            })
        if !placed.erased.isEmpty {
            for statement in [Statement.log.eraseEvents, Statement.log.eraseEvidence] {
                commands.append(statement.bind { $0.add(placed.erased, integer: { $0 }) })
            }
        }
        let head = placed.head
        commands.append(
            Statement.log.updateHead.with(
                head.tree.size, head.tree.bytes, head.tree.root, head.newestReceivedAt))
        return commands
    }
}
