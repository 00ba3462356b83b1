import Foundation

/// A range of IP addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), or one address.
public struct NetworkRange: Sendable, Equatable {
    /// Network byte order, 4 or 16 bytes; the bits beyond the prefix are zero.
    private let bytes: [UInt8]
    private let prefix: Int

    /// Nil for any other text, and when bits beyond the prefix are set, since the network meant is
    /// then unclear.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let bytes = NetworkRange.bytes(of: String(parts[0])) else {
            return nil
        }
        var prefix = bytes.count * 8
        if parts.count == 2 {
            guard let stated = Int(parts[1]), (0...prefix).contains(stated),
                String(stated) == parts[1]
            else { return nil }
            prefix = stated
        }
        self.bytes = bytes
        self.prefix = prefix
        let isClean = (prefix..<bytes.count * 8).allSatisfy {
            bytes[$0 / 8] & NetworkRange.mask(ofBit: $0) == 0
        }
        guard isClean else { return nil }
    }

    /// Whether the range contains an address; an IPv4 address mapped into IPv6 counts as the IPv4
    /// address.
    public func contains(_ address: String) -> Bool {
        guard let other = NetworkRange.bytes(of: address), other.count == bytes.count else {
            return false
        }
        return (0..<prefix).allSatisfy {
            let mask = NetworkRange.mask(ofBit: $0)
            return bytes[$0 / 8] & mask == other[$0 / 8] & mask
        }
    }

    /// The mask of a bit within its byte; bit 0 is the most significant one of the first byte.
    private static func mask(ofBit bit: Int) -> UInt8 { 0x80 >> UInt8(bit % 8) }

    /// The bytes of an address; nil for any other text.
    private static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            return withUnsafeBytes(of: &four) { Array($0) }
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
    }

    /// The key for all addresses of one network subscriber: an IPv4 address, mapped into IPv6 or
    /// not; the /64 of other IPv6 addresses. The text itself if it is not an address.
    public static func subscriber(of address: String) -> String {
        guard let bytes = bytes(of: address) else { return address }
        return bytes.prefix(8).map { String($0) }.joined(separator: ".")
    }

    /// Whether a text is an address, with or without a zone (RFC 4007 §11), or can be a name
    /// (RFC 1123 §2.1).
    static func isHost(_ text: String) -> Bool {
        if bytes(of: String(text.prefix { $0 != "%" })) != nil { return true }
        return !text.isEmpty
            && text.allSatisfy { character in
                character.isASCII
                    && (character.isLetter || character.isNumber || "-._".contains(character))
            }
    }

    /// Whether an address, or `localhost`, is a loopback address.
    public static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        guard let bytes = bytes(of: host) else { return false }
        return bytes.count == 4
            ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
}
