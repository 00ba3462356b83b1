internal import Foundation

/// Memory that was freed and that the allocator still keeps.
public enum FreedMemory {
    /// Hands it back to the system. Sorting leaves buffers behind in every worker's arena, which the
    /// folding that follows cannot use: without this the peak of a rebuild from the log is the sum
    /// of both. Takes milliseconds, and blocks for as long; nothing happens where the C library
    /// cannot do it.
    public static func giveBack() {
        // No module of the system offers `malloc.h`, so the function is asked for by its name.
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (_ keptByteCount: Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
