internal import AppStore
public import Foundation

/// The state that a node of a shared log stores in its own directory: which ledger it belongs to,
/// and the newest event that it has seen. A log that does not hold that event is another one, or
/// lost events.
public struct NodeMemory: Hashable, Sendable {
    /// The id of the node, chosen at random when its directory was created.
    public var node: String
    /// The id of the ledger, chosen at random when it was created.
    public var ledger: String
    public var seen: ProjectionCursor

    public static let fileName = "node.json"

    public init(node: String, ledger: String, seen: ProjectionCursor) {
        self.node = node
        self.ledger = ledger
        self.seen = seen
    }

    public static func path(in directory: String) -> String { "\(directory)/\(fileName)" }

    public static func exists(in directory: String) -> Bool {
        FileManager.default.fileExists(atPath: path(in: directory))
    }

    /// When the memory in a directory was written; nil without one.
    public static func writtenAt(in directory: String) -> Date? {
        let path = path(in: directory)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.modificationDate] as? Date
    }

    /// The memory in a directory; nil without one. Throws `fileCorrupt` for anything else.
    public init?(directory: String) throws(StoreError) {
        let path = NodeMemory.path(in: directory)
        guard NodeMemory.exists(in: directory) else { return nil }
        guard let data = FileManager.default.contents(atPath: path),
            let json = try? JSONValue.parse(Array(data)), let node = json["node"]?.string,
            let ledger = json["ledger"]?.string,
            case .number(let position)? = json["position"], let position = Int64(position)
        else {
            throw StoreError(
                .fileCorrupt, path: path, reason: "The node's memory cannot be read.",
                remedy: "Remove the node's directory; it is derived from the shared log.")
        }
        let leafHash = json["leafHash"]?.string.flatMap { Digest(hexadecimal: $0) }
        self.init(
            node: node, ledger: ledger,
            seen: ProjectionCursor(position: position, leafHash: leafHash))
    }

    /// Replaces the memory in a directory, which is created when missing.
    public func write(to directory: String) throws(StoreError) {
        let json = JSONWriter.object { json in
            json.member("node", node)
            json.member("ledger", ledger)
            json.member("position", seen.position)
            json.member("leafHash", seen.leafHash)
        }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try Data(json).write(
                to: URL(filePath: NodeMemory.path(in: directory)), options: .atomic)
        } catch {
            throw StoreError(
                .fileReadOnly, path: directory, reason: "The node's memory cannot be written.",
                remedy: "Check that the directory is writable and the disk has room.")
        }
    }
}
