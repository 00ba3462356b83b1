/// Names of keys (C2SP signed-note): not empty, without spaces and plus signs.
package enum NoteKeyName {
    package static let maximumByteCount = 256

    package static func isValid(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.utf8.count <= maximumByteCount
            && name.unicodeScalars.allSatisfy {
                $0 != "+" && !$0.properties.isWhitespace && $0.value >= 0x20 && $0.value != 0x7F
            }
    }
}
