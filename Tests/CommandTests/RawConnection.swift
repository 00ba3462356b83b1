import Foundation

/// A plain connection to loopback: sends arbitrary bytes, reads until a response is complete.
/// Blocks: `exchange` runs off the cooperative pool.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Longest wait for bytes, in seconds; only a hang reaches it.
    private static let patienceSeconds = 30

    struct Failure: Error {
        let reason: String
    }

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(reason: "no socket") }
        var patience = timeval(tv_sec: RawConnection.patienceSeconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            throw Failure(reason: "connect: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Sends, and reads one response; nil when the connection ended before it was complete.
    func exchange(_ bytes: [UInt8]) async -> RawAnswer? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                continuation.resume(returning: put(bytes) ? take() : nil)
            }
        }
    }

    /// Sends without waiting; returns whether it could be sent.
    func send(_ text: String) -> Bool { put(Array(text.utf8)) }

    /// Posts a notification.
    func notify(_ body: [UInt8]) async -> RawAnswer? {
        let head =
            "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json"
            + "\r\nContent-Length: \(body.count)\r\n\r\n"
        return await exchange(Array(head.utf8) + body)
    }

    func get(_ path: String) async -> RawAnswer? {
        await exchange(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }

    private func put(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func take() -> RawAnswer? {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let answer = RawAnswer(received) { return answer }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            received += chunk[..<count]
        }
    }
}

/// A response: status and body.
struct RawAnswer: Sendable {
    let status: Int
    let body: [UInt8]

    /// Nil before it is complete.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound].split(separator: "\r\n")
        let length = head.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
        guard let status = head.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let start = text[..<end.upperBound].utf8.count
        guard bytes.count >= start + (length ?? 0) else { return nil }
        self.status = status
        body = Array(bytes[start..<(start + (length ?? 0))])
    }
}
