public import AppStore
public import LedgerStore
import Signing

/// One event with its evidence, and the proof that it is in the log.
public struct EventDetail: Sendable, JSONObjectWritable {
    public let environment: Environment
    public let event: RecordedEvent
    /// The evidence as it was received; nil after an erasure, and where it is damaged.
    public let evidence: [UInt8]?
    /// Why the evidence cannot be read.
    public let damage: StoreError?
    /// Nil when not requested, and where the log does not prove the event (see `audit verify`).
    public let proof: InclusionProof?
    /// The end of the log.
    public let head: Int64

    package init(
        _ logged: LoggedEvent, in environment: Environment, proof: InclusionProof?, head: Int64
    ) {
        self.environment = environment
        event = logged.event
        self.proof = proof
        self.head = head
        do throws(StoreError) {
            evidence = try logged.originalBytes()
            damage = nil
        } catch {
            evidence = nil
            damage = error
        }
    }

    /// The evidence, decoded: the payload of a JWS, or a JSON text, with the signed parts inside
    /// decoded, too; nil where it is neither. For reading: only the evidence itself is signed.
    public var payload: JSONValue? { evidence.flatMap { EventDetail.decoded($0) } }

    private static let signedParts: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    static func decoded(_ bytes: [UInt8]) -> JSONValue? {
        // JSON first: a text with two dots in its strings has the form of a JWS.
        let value =
            (try? JSONValue.parse(bytes))
            ?? jwsPayload(bytes).flatMap { try? JSONValue.parse($0) }
        return value.map(withPartsDecoded)
    }

    /// The decoded payload of a compact JWS; nil for anything else.
    static func jwsPayload(_ bytes: [UInt8]) -> [UInt8]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Base64.url.decode(Array(parts[1]))
    }

    /// - Returns: the value, in which each signed part in an object is the object that it signs.
    private static func withPartsDecoded(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(
            members.map { member in
                guard signedParts.contains(member.key), let text = member.value.string else {
                    return JSONMember(key: member.key, value: withPartsDecoded(member.value))
                }
                let payload = jwsPayload(Array(text.utf8)).flatMap { try? JSONValue.parse($0) }
                return JSONMember(key: member.key, value: payload ?? member.value)
            })
    }

    /// `{"event":…,"payload":…,"proof":…,"position":…}` of `Contract.md`.
    public func writeMembers(to json: inout JSONWriter) {
        json.key("event")
        event.write(to: &json, evidence: evidence ?? [], environment)
        json.key("payload")
        json.raw((payload ?? .null).encoded())
        json.member("damage", damage?.code.rawValue)
        json.object("proof", proof) { json, proof in
            let data = event.knownLeafData.map { Base64.standard.encode($0) }
            json.member("leafData", data.map { String(decoding: $0, as: UTF8.self) })
            json.member("leafHash", proof.leafHash)
            json.member("leafIndex", proof.leafIndex)
            json.member("treeSize", proof.treeSize)
            json.array("path", proof.path)
            json.member("root", proof.root)
        }
        if json.isStamped { json.member("position", head) }
    }
}
