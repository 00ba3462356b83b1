import AppStore
import Ledger
internal import Queries
internal import SQLiteStore
import Synchronization

/// What one customer has, written once for as long as neither the rows nor the clock change anything
/// in it: asked again until then, only the stamp is written. The tag is of everything but `at` and
/// `position`, and is made once, too.
struct PreparedEntitlements: Sendable {
    /// JSON: the members of the answer from `standing` on.
    let members: [UInt8]
    let entityTag: String
    /// It holds from then on,
    private let from: Timestamp
    /// and before then; nil: for good.
    private let until: Timestamp?
    /// What the tag says is certain to be complete: a sweep moves it without touching any row.
    private let complete: CompleteWindow?

    /// - Parameters:
    ///   - record: complete at the time.
    ///   - stamp: of the first answer.
    init(
        of customer: CustomerId, at time: Timestamp, _ record: ProjectionsStore.CustomerRecord,
        _ catalogue: Catalogue, _ stamp: EntitlementsAnswer.Stamp
    ) {
        let entitlements = Entitlements(
            at: time, holdings: record.holdings, grants: record.grants, catalogue: catalogue)
        var members = JSONWriter()
        entitlements.writeMembers(to: &members)
        self.members = members.bytes
        var tagged = JSONWriter(reservingCapacity: members.bytes.count + 512)
        tagged.object { json in
            json.member("customer", customer)
            stamp.writeMembers(to: &json, isStamped: false)
            json.raw(members.bytes)
        }
        complete = stamp.complete
        entityTag = ServedAnswer.entityTag(of: tagged.bytes)
        from = time
        until = Entitlements.nextMoment(
            after: time, holdings: record.holdings, grants: record.grants, catalogue: catalogue)
    }

    /// Whether it is the answer at that time, in one state of one ledger: what else the stamp says
    /// is the same there.
    func holds(at time: Timestamp, _ stamp: EntitlementsAnswer.Stamp) -> Bool {
        guard from <= time, stamp.complete == complete else { return false }
        return until.map { time < $0 } ?? true
    }

    /// The whole answer.
    func served(
        of customer: CustomerId, _ stamp: EntitlementsAnswer.Stamp, position: Int64, lag: Int64
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

/// Where the rows of one customer keep what was last written of them.
final class PreparedSlot: Sendable {
    private let held = Mutex<PreparedEntitlements?>(nil)

    /// What holds at the time: as it was written before, else as `make` writes it now.
    func value(
        at time: Timestamp, _ stamp: EntitlementsAnswer.Stamp, _ make: () -> PreparedEntitlements
    ) -> PreparedEntitlements {
        if let held = held.withLock({ $0 }), held.holds(at: time, stamp) { return held }
        let made = make()
        held.withLock { $0 = made }
        return made
    }
}
