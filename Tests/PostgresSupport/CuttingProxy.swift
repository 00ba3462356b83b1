import Foundation
import Synchronization

/// A proxy in front of a server that cuts its connections after a number of bytes, stops forwarding
/// them, or refuses new ones.
public final class CuttingProxy: Sendable {
    public enum Direction: Sendable {
        case toServer
        case toClient
    }

    private struct State {
        /// Bytes forwarded since `arm`.
        var counts: [Direction: Int] = [.toServer: 0, .toClient: 0]
        /// Where the last bytes went to.
        var last = Direction.toClient
        /// Round trips since `arm`.
        var roundTripCount = 0
        /// Where the connection is cut, or where nothing more is forwarded; once.
        var cut: (direction: Direction, count: Int, hangs: Bool)?
        var isRefusing = false
        var refusedCount = 0
        var connections: Set<Int32> = []
        /// Clients whose connection is not forwarded any more.
        var stuck: Set<Int32> = []
        var isEnded = false
    }

    public let port: UInt16
    private let target: UInt16
    private let delayMicroseconds: UInt32
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameter delayMicroseconds: how much later what it receives is passed on.
    public init(to target: UInt16, delayMicroseconds: UInt32 = 0) throws {
        self.target = target
        self.delayMicroseconds = delayMicroseconds
        (listener, port) = try FreePort.listen()
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    /// Ends every connection and the listener.
    public func end() {
        state.withLock { state in
            // Once it is closed, its number may be another connection's.
            if !state.isEnded { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isEnded = true
        }
        cutAll()
    }

    /// Bytes forwarded since `arm`.
    public func count(_ direction: Direction) -> Int {
        state.withLock { $0.counts[direction] ?? 0 }
    }

    /// How often a client has sent something since `arm` after it had received something.
    public var roundTripCount: Int { state.withLock { $0.roundTripCount } }

    /// Counts from 0, and cuts the connection after `count` bytes in that direction, once; nil:
    /// cuts nothing.
    ///
    /// - Parameter hangs: stops forwarding that connection instead, as a network that loses
    ///   everything: neither side is closed.
    public func arm(
        _ direction: Direction = .toServer, after count: Int? = nil, hangs: Bool = false
    ) {
        state.withLock { state in
            state.counts = [.toServer: 0, .toClient: 0]
            state.roundTripCount = 0
            state.cut = count.map { (direction, $0, hangs) }
        }
    }

    /// Whether the cut was made.
    public var hasCut: Bool { state.withLock { $0.cut == nil } }

    /// Closes new connections at once.
    public func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// New connections that were closed at once.
    public var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// Cuts every connection.
    public func cutAll() {
        state.withLock { state in
            for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isEnded }) else {
                if client >= 0 { Foundation.close(client) }
                break
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            FreePort.sendAtOnce(client)
            let isRefused = state.withLock { state in
                if state.isRefusing { state.refusedCount += 1 }
                return state.isRefusing
            }
            guard !isRefused, let server = FreePort.connect(target) else {
                Foundation.close(client)
                continue
            }
            FreePort.sendAtOnce(server)
            state.withLock { _ = $0.connections.insert(client) }
            let thread = Thread { [self] in forward(client, server) }
            thread.start()
        }
        state.withLock { $0.isEnded = true }
        Foundation.close(listener)
    }

    private func forward(_ client: Int32, _ server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var both = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&both, 2, 5) >= 0 || errno == EINTR else { break }
            if both[0].revents != 0, !pass(client, server, .toServer, &buffer) { break }
            if both[1].revents != 0, !pass(server, client, .toClient, &buffer) { break }
        }
        close(client, server)
    }

    /// Closes a pair, or keeps it open and silent until the proxy ends.
    private func close(_ client: Int32, _ server: Int32) {
        while state.withLock({ $0.stuck.contains(client) && !$0.isEnded }) { usleep(5_000) }
        state.withLock { _ = $0.connections.remove(client) }
        // A program that was started meanwhile may hold a copy of them.
        for descriptor in [client, server] {
            shutdown(descriptor, Int32(SHUT_RDWR))
            Foundation.close(descriptor)
        }
    }

    /// False when the connection is over, or is to be cut.
    private func pass(
        _ from: Int32, _ to: Int32, _ direction: Direction, _ buffer: inout [UInt8]
    ) -> Bool {
        let size = buffer.count
        let received = recv(from, &buffer, size, Int32(MSG_DONTWAIT))
        if received < 0, errno == EAGAIN || errno == EINTR { return true }
        guard received > 0 else { return false }
        if delayMicroseconds > 0 { usleep(delayMicroseconds) }
        let (allowed, isCut) = state.withLock { state -> (Int, Bool) in
            let before = state.counts[direction] ?? 0
            state.counts[direction] = before + received
            if direction == .toServer, state.last == .toClient { state.roundTripCount += 1 }
            state.last = direction
            guard let cut = state.cut, cut.direction == direction, before + received > cut.count
            else { return (received, false) }
            state.cut = nil
            if cut.hangs { state.stuck.insert(direction == .toServer ? from : to) }
            return (max(0, cut.count - before), true)
        }
        var sent = 0
        while sent < allowed {
            let count = buffer.withUnsafeBytes { bytes in
                send(
                    to, bytes.baseAddress?.advanced(by: sent), allowed - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return !isCut
    }
}
