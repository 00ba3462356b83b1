import CLibFuzzer

/// Only the entry point of libFuzzer: everything else is also compiled and tested by `make test`.
@main
enum Fuzz {
    static func main() throws {
        try FuzzProgram.run { count, arguments, callback in
            LLVMFuzzerRunDriver(count, arguments, callback)
        }
    }
}
