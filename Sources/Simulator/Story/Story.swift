public import AppStore
import Foundation

/// A story under `Replays/`: decoded payloads in delivery order, signed when it is replayed.
///
/// `notifications.ndjson` holds one object per line. The first may be `{"defaults": {…},
/// "environment": "…"}`: members of `defaults.notification`, `.data`, `.transaction` and
/// `.renewal` are defaults for every later line; null removes one. Dates may be RFC 3339.
/// A line `{"receivedAt":…,"command":{…}}` is an operator's command, `{"verifyReceipt":{…}}` an
/// unsigned verifyReceipt response.
public struct Story: Sendable {
    public let name: String
    public let environment: Environment
    /// In delivery order.
    public let deliveries: [StoryDelivery]
    /// The bytes of `expected.json`; nil when the story has none.
    public let expected: [UInt8]?

    /// An invalid story: the file, the line, and the reason.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        public let place: String
        public let reason: String

        public var description: String { "\(place): \(reason)" }
    }

    /// Reads a folder, or a single NDJSON file.
    public init(path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Problem(place: path, reason: "There is no such story.")
        }
        let lines = isFolder.boolValue ? "\(path)/notifications.ndjson" : path
        guard let data = FileManager.default.contents(atPath: lines) else {
            throw Problem(place: lines, reason: "The file cannot be read.")
        }
        let expectedPath = "\(path)/expected.json"
        expected =
            isFolder.boolValue
            ? FileManager.default.contents(atPath: expectedPath).map { Array($0) } : nil
        name = (path as NSString).lastPathComponent
        (environment, deliveries) = try Story.read(Array(data), place: lines)
    }

    /// The apps of the story, in byte order.
    public var bundleIds: [BundleId] { Set(deliveries.flatMap(\.bundleIds)).sorted() }

    private static func read(
        _ bytes: [UInt8], place: String
    ) throws -> (Environment, [StoryDelivery]) {
        var environment = Environment.production
        var defaults = StoryDefaults()
        var deliveries: [StoryDelivery] = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
            let here = "\(place):\(number)"
            guard let value = try? JSONValue.parse(Array(line)) else {
                throw Problem(place: here, reason: "The line is not valid JSON.")
            }
            if let stated = value["defaults"] {
                defaults = StoryDefaults(stated)
                if let raw = value["environment"]?.string {
                    guard let known = Environment(rawValue: raw) else {
                        throw Problem(place: here, reason: "Unknown environment \(raw).")
                    }
                    environment = known
                }
                continue
            }
            deliveries.append(try StoryDelivery(value, defaults, place: here))
        }
        return (environment, deliveries)
    }
}

/// Defaults for every line of a story.
struct StoryDefaults {
    private var objects: [String: [JSONMember]] = [:]

    init() {}

    init(_ value: JSONValue) {
        for name in ["notification", "data", "transaction", "renewal"] {
            if let members = value[name]?.object { objects[name] = members }
        }
    }

    /// The line's object merged over the defaults, with dates in milliseconds.
    func merged(_ name: String, _ stated: [JSONMember]) -> [JSONMember] {
        var members = (objects[name] ?? []).filter { base in
            !stated.contains { $0.key == base.key }
        }
        members += stated.filter { !$0.value.isNull }
        return members.map { member in
            JSONMember(key: member.key, value: StoryDefaults.milliseconds(member))
        }
    }

    static let dates: Set<String> = [
        "signedDate", "purchaseDate", "originalPurchaseDate", "expiresDate", "revocationDate",
        "gracePeriodExpiresDate", "renewalDate", "recentSubscriptionStartDate",
        "commitmentExpiresDate", "commitmentRenewalDate", "receiptCreationDate", "until",
    ]

    static func milliseconds(_ member: JSONMember) -> JSONValue {
        if let nested = member.value.object {
            return .object(
                nested.map { JSONMember(key: $0.key, value: milliseconds($0)) })
        }
        guard dates.contains(member.key), let text = member.value.string,
            let time = Timestamp(rfc3339: text)
        else { return member.value }
        return .number(String(time.milliseconds))
    }
}
