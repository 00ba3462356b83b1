import HTTPTypes
import Hummingbird
internal import Service

/// The source address of a request, and whether notifications may come from there.
struct SourceCheck: Sendable {
    let server: ServiceConfiguration.Server

    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!

    /// Throws `sourceNotAllowed` for an address outside the configured networks.
    func requireAllowed(_ request: Request, _ context: WebContext) throws(Problem) {
        guard !server.notificationNetworks.isEmpty else { return }
        let address = address(of: request, peer: context.peer?.ipAddress)
        guard let address,
            server.notificationNetworks.contains(where: { $0.contains(address) })
        else {
            throw Problem(
                .forbidden, code: "sourceNotAllowed",
                detail: "Notifications are not accepted from this network.")
        }
    }

    /// The nearest address that is not a configured proxy. X-Forwarded-For is read from its end and
    /// only as far as trusted proxies wrote it; the rest is unverified.
    func address(of request: Request, peer: String?) -> String? {
        guard let peer else { return nil }
        guard !server.trustedProxies.isEmpty else { return peer }
        let hops = request.headers[values: SourceCheck.forwardedFor].flatMap {
            $0.split(separator: ",").map { $0.filter { $0 != " " } }
        }
        var nearest = peer
        for hop in hops.reversed() {
            guard server.trustedProxies.contains(where: { $0.contains(nearest) }) else { break }
            nearest = SourceCheck.withoutPort(hop)
        }
        return nearest
    }

    /// Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`.
    private static func withoutPort(_ hop: String) -> String {
        if hop.first == "[", let end = hop.firstIndex(of: "]") {
            return String(hop[hop.index(after: hop.startIndex)..<end])
        }
        guard let colon = hop.firstIndex(of: ":"), colon == hop.lastIndex(of: ":") else {
            return hop
        }
        return String(hop[..<colon])
    }
}
