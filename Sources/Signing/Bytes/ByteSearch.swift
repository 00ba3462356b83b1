#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The C library's vectorised search and comparison. A header has 4.4 KB and is scanned for every
/// signed part; scanning byte by byte would cost a tenth of a signature.
enum ByteSearch {
    static func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = bytes.baseAddress,
            let found = memchr(start, Int32(byte), bytes.count)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    static func areEqual(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        guard let one = left.baseAddress, let two = right.baseAddress else { return true }
        return memcmp(one, two, left.count) == 0
    }
}
