import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// The given bytes.
    ///
    /// - Parameters:
    ///   - keeping: how long a client may keep them (Cache-Control); nil: not stated.
    ///   - file: the name under which a browser saves them; nil: it shows them.
    init(
        _ bytes: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok,
        keeping: String? = "no-store", file: String? = nil
    ) {
        var headers: HTTPFields = [.contentType: type]
        headers[.cacheControl] = keeping
        headers[.contentDisposition] = file.map { "attachment; filename=\"\($0)\"" }
        self.init(
            status: status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
