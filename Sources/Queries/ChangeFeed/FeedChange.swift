public import AppStore
public import Ledger
package import LedgerStore
import Signing

/// A change with the data needed to encode it.
public struct FeedChange: Sendable {
    public let change: Change
    let environment: Environment
    let catalogueHash: Digest
    /// Numbers and names of all changes of its chain.
    let stream: ChangeStream

    public var place: ChangePlace { change.place }
    public var chain: ChainId { change.chain }
    /// The app of the chain.
    var bundleId: BundleId { chain.erased?.bundleId ?? chain.bundleId }
    package var chainPlace: ChainPlace { ChainPlace(place: place, chain: chain) }

    /// The same id for every emission of the same change; a different one when another reducer or
    /// catalogue derives a change from the same events.
    public var id: String {
        "chg_" + SHA256.hash(body(ChangeFilter(), withPrevious: false)).hexadecimal.prefix(32)
    }

    /// The body that is posted and streamed: one JSON object, always the same bytes under the same
    /// filter.
    public func body(_ filter: ChangeFilter = ChangeFilter()) -> [UInt8] {
        body(filter, withPrevious: true)
    }

    private func body(_ filter: ChangeFilter, withPrevious: Bool) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 2_048)
        json.object { json in
            json.member("type", change.name.rawValue)
            json.member("timestamp", change.emittedAt)
            json.object("data") { json in
                json.member("environment", environment.rawValue)
                json.member("bundleId", bundleId)
                if let erased = chain.erased {
                    json.member("chainDigest", erased.digest)
                    json.member("position", change.position)
                    return
                }
                json.member("originalTransactionId", chain.originalTransactionId)
                json.member("sequence", change.sequence)
                json.member("stateHash", change.stateHash)
                if withPrevious { writePrevious(filter, to: &json) }
                json.member("position", change.position)
                json.member("byClock", change.isByClock)
                json.member("reducerVersion", Lifecycle.reducerVersion)
                json.member("catalogueHash", catalogueHash)
                json.object("entry", change.entry) { json, entry in
                    write(entry, to: &json)
                }
                json.objects("withdrawn", change.withdrawn) { json, entry in write(entry, to: &json)
                }
                json.object("subscription", change.answer) { $1.writeMembers(to: &$0) }
            }
        }
        return json.bytes
    }

    /// The previous change of this chain that the receiver got.
    private func writePrevious(_ filter: ChangeFilter, to json: inout JSONWriter) {
        let previous = stream.mark(before: change.sequence) { filter.admits($0) }
        json.object("previous", previous) { json, mark in
            json.member("sequence", mark.sequence)
            json.member("stateHash", mark.stateHash)
        }
    }

    /// The members of an entry of the `timeline` object (`Contract.md`).
    private func write(_ entry: TimelineEntry, to json: inout JSONWriter) {
        entry.writeMembers(to: &json)
        json.object("cause", change.causes[entry.cause]) { json, fact in
            fact.writeCauseMembers(entry.events, to: &json)
        }
    }
}

/// Which changes a receiver gets.
public struct ChangeFilter: Hashable, Sendable {
    /// Nil: all names.
    public var names: Set<ChangeName>?
    /// Nil: all apps.
    public var bundleId: BundleId?

    public init(names: Set<ChangeName>? = nil, bundleId: BundleId? = nil) {
        self.names = names
        self.bundleId = bundleId
    }

    /// Erasures are sent to every receiver, whatever its filter.
    public func admits(_ name: ChangeName) -> Bool {
        name == .erased || names?.contains(name) ?? true
    }

    public func admits(_ change: FeedChange) -> Bool {
        admits(change.change.name) && (bundleId.map { $0 == change.bundleId } ?? true)
    }
}
