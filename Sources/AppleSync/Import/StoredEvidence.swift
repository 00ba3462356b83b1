public import AppStore
public import Intake

/// One app in one environment: the scope of one of Apple's API keys.
public struct ImportScope: Hashable, Comparable, Sendable {
    public let bundleId: BundleId
    public let environment: Environment

    /// Production first, then by app.
    public static func < (left: ImportScope, right: ImportScope) -> Bool {
        if left.environment != right.environment { return left.environment == .production }
        return left.bundleId < right.bundleId
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("bundleId", bundleId)
        json.member("environment", environment.rawValue)
    }
}

/// The contents of a directory of stored receipts, and the ids they name.
public struct StoredEvidence: Sendable {
    public let directory: String
    /// Paths relative to the directory, ordered by name.
    public let files: [String]
    public package(set) var receipts = 0
    public package(set) var responses = 0
    public package(set) var notifications = 0
    /// Of iOS 6: only their ids are used.
    public package(set) var transactionReceipts = 0
    /// The first `ImportLimits.badInputCount` unusable files and lines, by their path relative to
    /// the directory.
    public package(set) var badInputs: [IngestError] = []
    public package(set) var badInputsOmitted = 0
    /// Pieces of environments that are not requested.
    public package(set) var otherEnvironments = 0
    /// Pieces of apps that are not configured, by app; "" for those without an app.
    public package(set) var otherApps: [BundleId: Int] = [:]
    private var known: [ImportScope: Set<String>] = [:]
    private var ordered: [ImportScope: [String]] = [:]

    init(directory: String, files: [String]) {
        self.directory = directory
        self.files = files
    }

    /// Apps and environments with customers, sorted.
    public var scopes: [ImportScope] { ordered.keys.sorted() }

    /// Distinct ids of customers, in order of appearance.
    public func ids(of scope: ImportScope) -> [String] { ordered[scope] ?? [] }

    public var customerCount: Int { ordered.values.reduce(0) { $0 + $1.count } }

    /// The number of unusable files and lines.
    public var badInputCount: Int { badInputs.count + badInputsOmitted }

    mutating func count(_ form: StoredDocument.Form) {
        switch form {
        case .receipt: receipts += 1
        case .response: responses += 1
        case .notification: notifications += 1
        case .transactionReceipt: transactionReceipts += 1
        }
    }

    mutating func add(_ ids: [String], to scope: ImportScope) {
        for id in ids where known[scope, default: []].insert(id).inserted {
            ordered[scope, default: []].append(id)
        }
    }

    mutating func add(_ bad: IngestError) {
        badInputs.append(bad, upTo: ImportLimits.badInputCount, omitted: &badInputsOmitted)
    }
}
