import CLibFuzzer

/// Nothing but the way to libFuzzer: all else is compiled, and tried, by `make test` too.
@main
enum Fuzz {
    static func main() throws {
        try FuzzProgram.run { count, arguments, callback in
            LLVMFuzzerRunDriver(count, arguments, callback)
        }
    }
}
