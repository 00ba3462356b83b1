internal import AppStore
internal import Signing

/// A file that pages load, under an address that changes with its content.
package struct ConsoleAsset: Sendable, Hashable {
    package enum Kind: Sendable {
        case style
        case script
        case icon
    }

    package let kind: Kind
    /// `/console/assets/console-0123456789ab.css`.
    package let path: String
    package let bytes: [UInt8]

    private init(_ name: String, _ ending: String, _ kind: Kind, _ bytes: [UInt8]) {
        let digest = SHA256.hash(bytes).hexadecimal.prefix(ConsoleAsset.digestCharacterCount)
        path = "\(ConsoleAsset.directory)\(name)-\(digest).\(ending)"
        self.kind = kind
        self.bytes = bytes
    }

    package static let directory = "/console/assets/"
    /// Of the digest's 64 hexadecimal digits.
    private static let digestCharacterCount = 12

    package var contentType: String {
        switch kind {
        case .style: "text/css; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    package static let style = ConsoleAsset(
        "console", "css", .style, PackageResources.console_css)
    package static let behaviour = ConsoleAsset(
        "console", "js", .script, PackageResources.console_js)
    package static let verification = ConsoleAsset(
        "verify", "js", .script, PackageResources.verify_js)

    package static let icon = ConsoleAsset("icon", "svg", .icon, PackageResources.icon_svg)

    package static let all = [style, behaviour, verification, icon]
}
