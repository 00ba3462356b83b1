internal import Foundation

/// The allocator's per-thread arenas. Free memory in one cannot be used by another.
public enum AllocatorArenas {
    /// mallopt(3), glibc.
    private static let arenaMaximum: CInt = -8

    /// Limits their number to the core count plus two; glibc's limit is eight per core. For a
    /// service: blocking calls move over many threads, and ten minutes of load left 12 MiB more in
    /// unused arenas. No effect where the C library lacks the function.
    public static func bound() {
        // No system module exports `malloc.h`, so the function is looked up by name.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias SetOption = @convention(c) (_ name: CInt, _ value: CInt) -> CInt
        let count = CInt(ProcessInfo.processInfo.activeProcessorCount + 2)
        _ = unsafeBitCast(symbol, to: SetOption.self)(arenaMaximum, count)
    }
}
