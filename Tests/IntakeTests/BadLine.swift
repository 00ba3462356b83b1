import AppStore
import LedgerTestSupport
import Simulator
import Testing

/// One kind of bad input line, and its error code.
struct BadLine: Sendable, CustomTestStringConvertible {
    let name: String
    let code: String
    let bytes: [UInt8]
    /// Verified, but not acceptable now.
    var isQuarantined = false

    var testDescription: String { name }

    private init(_ name: String, _ code: String, _ bytes: [UInt8]) {
        (self.name, self.code, self.bytes) = (name, code, bytes)
    }

    private init(_ name: String, _ code: String, _ text: String) {
        self.init(name, code, Array(text.utf8))
    }

    /// A line whose payload is signed by a trusted leaf.
    private init(_ name: String, _ code: String, signed payload: String) throws {
        let token = try TestAuthority.signer.sign(Array(payload.utf8))
        self.init(name, code, token)
    }

    /// A notification payload with a member nested so that `depth` containers are open.
    static func nested(_ depth: Int, uuid: String) -> String {
        // The payload itself is the first container.
        let (open, close) = (
            String(repeating: "[", count: depth - 1), String(repeating: "]", count: depth - 1)
        )
        return #"{"notificationType":"TEST","notificationUUID":"\#(uuid)","signedDate":"#
            + #"1768046400000,"data":{"bundleId":"\#(MadeChain.app)","environment":"Production"},"#
            + #""deep":\#(open)\#(close)}"#
    }

    static let all: [BadLine] = {
        do { return try unreadable() + hostile() + foreign() } catch {
            fatalError("a bad line cannot be made: \(error)")
        }
    }()

    private static func unreadable() throws -> [BadLine] {
        let line = try MadeChain().bought().line()
        let token = Array(try MadeChain().bought().token().utf8)
        return [
            BadLine("a truncated body", "undecodablePayload", Array(line.prefix(100))),
            BadLine("a truncated JWS", "malformedJWS", Array(token.dropLast(13))),
            BadLine("half a JWS", "malformedJWS", Array(token.prefix(token.count / 2))),
            BadLine("words", "malformedJWS", "the quick brown fox"),
            BadLine(
                "all bytes but line feeds", "undecodablePayload", (0...255).filter { $0 != 10 }),
            BadLine("not UTF-8", "malformedJWS", [0xC3, 0x28, 0xFF, 0xFE]),
            BadLine(
                "not UTF-8 inside JSON", "undecodablePayload",
                Array(#"{"signedPayload":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)),
            BadLine("a byte order mark", "malformedJWS", [0xEF, 0xBB, 0xBF] + line),
            BadLine("JSON null", "malformedJWS", "null"),
            BadLine("a JSON list", "undecodablePayload", "[1]"),
            BadLine("an empty object", "undecodablePayload", "{}"),
            BadLine("another object", "undecodablePayload", #"{"hello":"world"}"#),
            BadLine("a number as evidence", "undecodablePayload", #"{"signedPayload":5}"#),
            BadLine("null as evidence", "undecodablePayload", #"{"signedPayload":null}"#),
            BadLine("two bodies in one line", "undecodablePayload", "{}{}"),
            BadLine(
                "a key twice", "undecodablePayload",
                #"{"signedPayload":"a.b.c","signedPayload":"a.b.c"}"#),
            BadLine(
                "a body nested too deeply", "undecodablePayload",
                #"{"signedPayload":"#
                    + String(repeating: "[", count: JSONLimits.depth)
                    + String(repeating: "]", count: JSONLimits.depth) + "}"),
            BadLine(
                "a receivedAt that is no time", "undecodablePayload",
                #"{"receivedAt":"yesterday","signedPayload":"a.b.c"}"#),
            BadLine(
                "a receivedAt that is no whole number", "undecodablePayload",
                #"{"receivedAt":1.5,"signedPayload":"a.b.c"}"#),
        ]
    }

    private static func hostile() throws -> [BadLine] {
        let token = try MadeChain().bought().token()
        let parts = token.split(separator: ".")
        let unsigned =
            "\(parts[0]).\(parts[1])." + String(repeating: "A", count: parts[2].count)
        let other = try MadeChain(id: "7").bought().token().split(separator: ".")
        return [
            BadLine("a signature of nothing", "signatureMismatch", unsigned),
            BadLine(
                "another payload under the signature", "signatureMismatch",
                "\(parts[0]).\(other[1]).\(parts[2])"),
            try BadLine(
                "a signed payload nested too deeply", "undecodablePayload",
                signed: nested(JSONLimits.depth + 1, uuid: "too-deep")),
            try BadLine(
                "a signed payload with a key twice", "undecodablePayload",
                signed: #"{"notificationType":"TEST","notificationType":"TEST"}"#),
            try BadLine("a signed payload of no kind", "undecodablePayload", signed: "{}"),
            try BadLine("a signed null", "undecodablePayload", signed: "null"),
            try BadLine(
                "a JWS over its bound", "payloadTooLarge",
                signed: #"{"notificationType":"TEST","pad":""#
                    + String(repeating: "x", count: 256 * 1024) + #""}"#),
            BadLine(
                "a nested part that is none", "nestedPartInvalid",
                try TestAuthority.signer.sign(
                    Array(
                        (#"{"notificationType":"DID_RENEW","notificationUUID":"n","signedDate":"#
                            + #"1768046400000,"data":{"bundleId":"com.example.app","#
                            + #""signedTransactionInfo":"x.y.z"}}"#).utf8))),
        ]
    }

    private static func foreign() throws -> [BadLine] {
        var lines = [
            BadLine(
                "another app", "wrongApp",
                try MadeChain(id: "8", bundleId: "com.example.other").bought().line()),
            BadLine(
                "another environment", "wrongEnvironment",
                try MadeChain(id: "9", environment: .sandbox).bought().line()),
        ]
        for index in lines.indices { lines[index].isQuarantined = true }
        return lines
    }
}
