import AppStore
import Ledger
internal import Queries
internal import SQLiteStore
import Synchronization

/// The encoded entitlements of one customer, reused while neither the rows nor the clock change
/// their content: only the stamp is written anew. The tag covers everything but `at` and `position`
/// and is computed once, too.
struct PreparedEntitlements: Sendable {
    /// JSON: the members of the answer from `standing` on.
    let members: [UInt8]
    let entityTag: String
    /// Valid from this time,
    private let from: Timestamp
    /// and before this time; nil: without end.
    private let until: Timestamp?
    /// The completeness covered by the tag: a sweep moves it without touching any row.
    private let complete: CompleteWindow?

    /// - Parameters:
    ///   - record: complete at the time.
    ///   - stamp: of the first answer.
    init(
        of customer: CustomerId, at time: Timestamp, _ record: ProjectionsStore.CustomerRecord,
        _ catalogue: Catalogue, _ stamp: AnswerStamp
    ) {
        let entitlements = Entitlements(
            at: time, holdings: record.holdings, grants: record.grants, catalogue: catalogue)
        var members = JSONWriter()
        entitlements.writeMembers(to: &members)
        self.members = members.bytes
        var tagged = JSONWriter(reservingCapacity: members.bytes.count + 512)
        tagged.isStamped = false
        tagged.object { json in
            json.member("customer", customer)
            stamp.writeMembers(to: &json)
            json.raw(members.bytes)
        }
        complete = stamp.complete
        entityTag = ServedAnswer.entityTag(of: tagged.bytes)
        from = time
        until = Entitlements.nextMoment(
            after: time, holdings: record.holdings, grants: record.grants, catalogue: catalogue)
    }

    /// Whether it is the answer at that time, in one state of one ledger; the rest of the stamp is
    /// the same there.
    func holds(at time: Timestamp, _ stamp: AnswerStamp) -> Bool {
        guard from <= time, stamp.complete == complete else { return false }
        return until.map { time < $0 } ?? true
    }

    /// The whole answer.
    func served(
        of customer: CustomerId, _ stamp: AnswerStamp, position: Int64, lag: Int64
    ) -> ServedAnswer {
        var json = JSONWriter(reservingCapacity: members.count + 512)
        json.object { json in
            json.member("customer", customer)
            stamp.writeMembers(to: &json)
            json.raw(members)
        }
        return ServedAnswer(
            bytes: json.bytes, entityTag: entityTag, position: position, lag: lag)
    }
}

/// The rows of one customer in one state, and the answer last encoded from them.
final class CachedCustomer: Sendable {
    let record: ProjectionsStore.CustomerRecord
    private let held = Mutex<PreparedEntitlements?>(nil)

    init(_ record: ProjectionsStore.CustomerRecord) { self.record = record }

    /// Rows held; at least one.
    var rowCount: Int { 1 + record.holdings.count + record.grants.count }

    /// The answer at the time: the stored one if still valid, else a new one from `make`.
    func prepared(
        at time: Timestamp, _ stamp: AnswerStamp, _ make: () -> PreparedEntitlements
    ) -> PreparedEntitlements {
        if let held = held.withLock({ $0 }), held.holds(at: time, stamp) { return held }
        let made = make()
        held.withLock { $0 = made }
        return made
    }
}
