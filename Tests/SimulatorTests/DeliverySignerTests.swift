import AppStore
import LedgerTestSupport
import Signing
import Simulator
import Testing

struct DeliverySignerTests {
    static let life = SubscriberWorld().life(seed: 11)

    @Test("Each line states its arrival time and holds the payloads of the seed")
    func lines() throws {
        for delivery in Self.life.deliveries.prefix(8) {
            let line = try TestAuthority.signer.line(delivery)
            let members = try Self.members(line)
            #expect(members["receivedAt"] == delivery.receivedAt.rfc3339)
            switch delivery.evidence {
            case .notification(let notification, let transaction, let renewal):
                let payload = try Self.payload(try #require(members["signedPayload"]))
                let signed = try NotificationPayload.decode(payload)
                #expect(signed.notificationUUID == notification.notificationUUID)
                let inner = try Self.payload(
                    try #require(signed.data?.signedTransactionInfo))
                #expect(inner == transaction?.encoded())
                let beside = try signed.data?.signedRenewalInfo.map { try Self.payload($0) }
                #expect(beside == renewal?.encoded())
            case .transaction(let transaction):
                let payload = try Self.payload(try #require(members["signedTransactionInfo"]))
                #expect(payload == transaction.encoded())
            case .pair(_, _, let status):
                #expect(status != nil)
                #expect(String(decoding: line, as: UTF8.self).contains("\"lastTransactions\""))
            }
        }
    }

    /// The string members of a line.
    private static func members(_ line: [UInt8]) throws -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in Line.read(line) { result[key] = value }
        return result
    }

    private static func payload(_ jws: String) throws -> [UInt8] {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        return try #require(Base64.url.decode(Array(parts[1].utf8)))
    }
}

/// Reads the flat string members of an object, which is all that these lines have.
private enum Line {
    static func read(_ line: [UInt8]) -> [(String, String)] {
        let texts = String(decoding: line, as: UTF8.self).split(
            separator: "\"", omittingEmptySubsequences: false)
        var result: [(String, String)] = []
        var index = 1
        while index + 2 < texts.count {
            if texts[index + 1] == ":" {
                result.append((String(texts[index]), String(texts[index + 2])))
                index += 4
            } else {
                index += 2
            }
        }
        return result
    }
}
