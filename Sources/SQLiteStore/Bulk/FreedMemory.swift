internal import Foundation

/// Freed memory that the allocator retains.
public enum FreedMemory {
    /// Reading or folding fewer events leaves too little memory to be worth the call.
    public static let smallestEventCount: Int64 = 50_000

    /// Returns it to the system. Sorting leaves buffers in every worker's arena which the following
    /// fold cannot use; without this call the peak of a rebuild from the log is the sum of both.
    /// Blocks for some milliseconds. No effect where the C library lacks the function.
    public static func giveBack() {
        // No system module exports `malloc.h`, so the function is looked up by name.
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (_ keptByteCount: Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
