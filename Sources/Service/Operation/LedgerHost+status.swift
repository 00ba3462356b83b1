public import AppStore
internal import AppleSync
import Foundation
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
package import Queries
internal import SQLiteStore
import Synchronization

/// The state of intake, for operators.
extension LedgerHost {
    /// Whether intake of an environment is healthy, and what may be missing. Bounded work: it reads
    /// no more of the log than the events since the previous call, at first the newest 20,000.
    /// Outages are those that a check in the background found; where no `RecoveryWatch` runs, this
    /// starts a check of the log when the last one is old.
    ///
    /// Throws `ServingError` or `StoreError`.
    public func status(_ environment: Environment) async throws -> IntakeStatus {
        let served = try ledger(environment)
        // The projector may not have read it yet: then everything would seem to be missing.
        if served.head == 0, let end = try? await served.readableHead() {
            served.board.reached(head: end)
        }
        let (now, head) = (clock(), served.head)
        var problems: [String] = []
        let jump = clockWatch.jumpMilliseconds
        if let jump { problems.append(ServingError.clockJumped(milliseconds: jump).code) }
        if let code = await served.obstacleCode() { problems.append(code) }
        let stored = try await served.stored()
        let lag = served.lag
        checkOutagesIfDue(served, at: now)
        return IntakeStatus(
            environment: environment, at: now, problems: problems, head: head,
            projectedPosition: served.projectedPosition, lagPositions: lag.positions,
            lagMilliseconds: Int64(lag.time / .milliseconds(1)),
            clockJumpMilliseconds: jump,
            apps: configuration.apps.map { app in
                let arrival = stored.arrivals[app.bundleId]
                return IntakeStatus.App(
                    bundleId: app.bundleId, lastNotificationAt: arrival?.receivedAt[.webhook],
                    lastEventAt: arrival?.eventAt, lastEventPosition: arrival?.position,
                    complete: served.ledger.complete(of: app.bundleId, .everything, head: head),
                    outages: outages.check(environment, app.bundleId))
            }, intake: tally.counts(of: environment, at: now),
            unassigned: tally.counts(of: nil, at: now),
            quarantine: stored.quarantine,
            files: await served.fileSizes())
    }

    /// An answer about an environment's operation, written by a closure, once: it may be large, and
    /// it states no time of the query.
    ///
    /// Throws `environmentNotServed`.
    package func answer(
        _ environment: Environment, _ write: (inout JSONWriter) -> Void
    ) throws(ServingError) -> ServedAnswer {
        let served = try ledger(environment)
        var json = JSONWriter()
        write(&json)
        return ServedAnswer(
            bytes: json.bytes, entityTag: ServedAnswer.entityTag(of: json.bytes),
            position: served.projectedPosition ?? 0, lag: served.lag.positions)
    }

    // MARK: Outages

    private func checkOutagesIfDue(_ served: ServedLedger, at now: Timestamp) {
        for app in configuration.apps
        where outages.begin(served.environment, app.bundleId, at: now) {
            background.start { [self] in
                await checkOutages(served, app.bundleId)
                outages.end(served.environment, app.bundleId)
            }
        }
    }

    /// Checks an app's arrivals in the log for outages.
    func checkOutages(_ served: ServedLedger, _ app: BundleId) async {
        let now = clock()
        do throws(StoreError) {
            let windows = try await OutageWatch.suggestions(of: app, in: served.ledger, now: now)
            outages.note(served.environment, app, windows, at: now)
        } catch {
            // The next status tries again; what keeps the log from being read is in `problems`.
            return
        }
    }
}

extension ServedLedger {
    /// The newest events and the quarantine; while the database of several nodes cannot be read,
    /// those last read, or none.
    fileprivate func stored() async throws -> StoredStatus {
        let known = storedStatus.withLock { $0 } ?? StoredStatus(arrivals: [:], quarantine: [])
        if isDatabaseAway { return known }
        do {
            let stored = StoredStatus(
                arrivals: try await arrivals.newest(
                    in: ledger.log, atMost: AppArrivals.eventCount
                ).apps,
                quarantine: try await ledger.operations.quarantineTotals())
            storedStatus.withLock { $0 = stored }
            return stored
        } catch {
            guard ledger.isShared else { throw error }
            return known
        }
    }

    /// The sizes of the environment's files.
    func fileSizes() async -> IntakeStatus.FileSizes {
        let directory = ledger.directory
        return await Blocking.run {
            var sizes = IntakeStatus.FileSizes()
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for name in names {
                guard let status = stat.at("\(directory)/\(name)") else { continue }
                let count = Int64(status.st_size)
                if name.hasPrefix(EventLog.fileName) { sizes.logByteCount += count }
                if name.hasPrefix(OperationsStore.fileName) { sizes.operationsByteCount += count }
                if name.hasPrefix("facts-") || name.hasPrefix("projections-") {
                    sizes.derivedByteCount += count
                }
            }
            sizes.freeByteCount = FreeDiskSpace.freeByteCount(directory).map {
                Int64(clamping: $0)
            }
            return sizes
        }
    }
}

/// The part of a status that is read from the log and the operational state.
struct StoredStatus: Sendable {
    let arrivals: [BundleId: AppArrivals.Newest]
    let quarantine: [QuarantineTotal]
}
