extension ServiceConfiguration.Server {
    /// What the addresses of the console begin with: `publicUrl`, else a loopback address to listen
    /// on; empty where neither says how people reach it.
    package var consoleOrigin: String {
        if let publicUrl { return publicUrl }
        guard NetworkRange.isLoopback(host), port > 0 else { return "" }
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(tls == nil ? "http" : "https")://\(name):\(port)"
    }

    /// Longest `publicUrl`, in bytes.
    static let publicUrlByteCount = 256

    /// Whether a text is an http or https address without a path (RFC 6454 §6.2).
    static func isOrigin(_ text: String) -> Bool {
        guard text.utf8.count <= publicUrlByteCount,
            let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) })
        else { return false }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        return !rest.isEmpty
            && rest.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !"/?#@\"<>\\".utf8.contains(byte)
            }
    }
}
