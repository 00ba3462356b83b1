import Foundation

/// Ports of the loopback interface.
enum FreePort {
    /// A port that was free a moment ago.
    static func find() throws -> UInt16 {
        let (listener, port) = try listen()
        close(listener)
        return port
    }

    /// A listening socket on a free port.
    static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = makeSocket()
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0
                    && Foundation.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            throw Program.Failure(description: String(cString: strerror(errno)))
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A socket connected to a port; nil when nothing listens there.
    static func connect(_ port: UInt16) -> Int32? {
        let descriptor = makeSocket()
        var address = loopback(port)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(
                    descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    /// Small messages do not wait for the acknowledgement of the one before.
    static func sendAtOnce(_ descriptor: Int32) {
        var isOn: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Not inherited by programs that are started meanwhile: they would keep the connection open.
    private static func makeSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
