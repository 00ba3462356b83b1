internal import Service

/// Whether a request's host or origin is this machine.
enum LoopbackName {
    /// `localhost`, an address of 127.0.0.0/8 or `[::1]`, with or without a port (RFC 3986 §3.2).
    static func isAuthority(_ text: some StringProtocol) -> Bool {
        let host: String
        let rest: String
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return false }
            host = String(text[text.index(after: text.startIndex)..<end])
            rest = String(text[text.index(after: end)...])
            guard host.contains(":") else { return false }
        } else {
            host = text.prefix { $0 != ":" }.lowercased()
            rest = String(text.drop { $0 != ":" })
        }
        return isPort(rest) && NetworkRange.isLoopback(host)
    }

    /// Whether it is the origin of a page on this machine (RFC 6454 §7); `null` is not.
    static func isOrigin(_ text: String) -> Bool {
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            return isAuthority(text.dropFirst(scheme.count))
        }
        return false
    }

    /// Empty, or a colon and a number.
    private static func isPort(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.utf8.dropFirst()
        return text.first == ":" && !digits.isEmpty
            && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
