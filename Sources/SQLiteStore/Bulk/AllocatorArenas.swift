internal import Foundation

/// The pools that threads allocate from. What is free in one serves no other.
public enum AllocatorArenas {
    /// mallopt(3), glibc.
    private static let arenaMaximum: CInt = -8

    /// Bounds their number to two more than there are cores; glibc's own bound is eight for every
    /// core. For a service: blocking calls wander over many threads, and ten minutes of load left
    /// 12 MiB more in arenas that nobody used again. Nothing happens where the C library cannot do it.
    public static func bound() {
        // No module of the system offers `malloc.h`, so the function is asked for by its name.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias SetOption = @convention(c) (_ name: CInt, _ value: CInt) -> CInt
        let count = CInt(ProcessInfo.processInfo.activeProcessorCount + 2)
        _ = unsafeBitCast(symbol, to: SetOption.self)(arenaMaximum, count)
    }
}
