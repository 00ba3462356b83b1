public import AppStore
import Foundation
public import LedgerStore
public import SQLiteStore

/// A projections file as listed for operators.
public struct ProjectionsListing: Sendable {
    public let name: String
    public let isCurrent: Bool
    /// Size of the file and its write-ahead log.
    public let byteCount: Int64
    /// The build of the file; nil when unreadable.
    public let build: ProjectionsStore.Build?
    /// The last position it includes.
    public let position: Int64?
    /// Whether this release with this configuration would use it.
    public let isUsable: Bool

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("current", isCurrent)
            json.member("bytes", byteCount)
            json.member("position", position)
            json.member("reducerVersion", build?.reducerVersion)
            json.member("decoderVersion", build?.decoderVersion)
            json.member("catalogueHash", build?.catalogueHash)
            json.member("usable", isUsable)
        }
    }

    public var text: String {
        let position = position.map { "position \($0)" } ?? "unreadable"
        let reducer = build.map { "reducer \($0.reducerVersion)" } ?? "unknown build"
        return "\(isCurrent ? "*" : " ") \(name)  \(position), \(reducer)"
            + "\(isUsable ? "" : ", not of this build"), \(byteCount / 1_024) KiB"
    }
}

extension EnvironmentLedger {
    /// Every projections file of the environment, oldest first.
    public func listProjections() async -> [ProjectionsListing] {
        let files = projectionFiles
        let current = files.current()
        var listings: [ProjectionsListing] = []
        for name in files.names() {
            let path = files.path(of: name)
            let store = try? await ProjectionsStore.open(path)
            let (build, checkpoint) = (try? await store?.build(), try? await store?.checkpoint())
            listings.append(
                ProjectionsListing(
                    name: name, isCurrent: path == current, byteCount: DerivedFiles.byteCount(path),
                    build: build ?? nil, position: checkpoint?.position,
                    isUsable: (build ?? nil) == self.build))
        }
        return listings
    }
}

extension Projector {
    /// Removes projections files; without names, all that are not current. Files that a process has
    /// open are kept.
    ///
    /// Throws `fileInUse` for the current one, `noSuchFile`.
    public func drop(
        _ names: [String]
    ) throws(StoreError) -> (dropped: [String], inUse: [String]) {
        let files = ledger.projectionFiles
        let chosen = names.isEmpty ? files.otherNames() : names
        var (dropped, inUse): ([String], [String]) = ([], [])
        for name in chosen {
            if try files.drop(name, holding: lock) {
                dropped.append(name)
            } else {
                inUse.append(name)
            }
        }
        return (dropped, inUse)
    }
}
