internal import AppStore
internal import Signing

/// A file that pages load, under an address that changes with its content.
package struct ConsoleAsset: Sendable, Hashable {
    package let contentType: String
    /// `/console/assets/console-0123456789ab.js`.
    package let path: String
    package let bytes: [UInt8]

    private init(_ name: String, _ ending: String, _ contentType: String, _ bytes: [UInt8]) {
        let digest = SHA256.hash(bytes).hexadecimal.prefix(ConsoleAsset.digestCharacterCount)
        path = "\(ConsoleAsset.directory)\(name)-\(digest).\(ending)"
        self.contentType = contentType
        self.bytes = bytes
    }

    package static let directory = "/console/assets/"
    /// Of the digest's 64 hexadecimal digits.
    private static let digestCharacterCount = 12

    private static let script = "text/javascript; charset=utf-8"
    /// Its head lists what it reads, and is short, since the scripts' size is bounded. Also:
    ///
    /// - `#keys`: a checkbox, keys on or off
    /// - `data-copy=ID`: a hidden button, copies that text
    /// - `data-live-state`: says live, paused or reconnecting
    /// - `data-slider`: a hidden range; what it writes is sent
    /// - with `data-tz="local"`, the title of a time has UTC
    package static let behaviour = ConsoleAsset(
        "console", "js", script, PackageResources.console_js)
    /// `EventPage.swift` writes the attributes it reads.
    package static let verification = ConsoleAsset(
        "verify", "js", script, PackageResources.verify_js)

    package static let icon = ConsoleAsset(
        "icon", "svg", "image/svg+xml", PackageResources.icon_svg)

    package static let all = [behaviour, verification, icon]
}

/// The style sheet, inlined in every page: loading it would delay the first paint by a round trip.
package enum ConsoleStyle {
    static let element = HTML(markup: "<style>\(text)</style>")

    /// The source of a policy that allows this text and no other inline style (W3C CSP Level 3,
    /// §2.3.1).
    package static let policySource: String = {
        let digest = Base64.standard.encode(SHA256.hash(Array(text.utf8)).bytes)
        return "'sha256-\(String(decoding: digest, as: UTF8.self))'"
    }()

    private static let text = String(decoding: PackageResources.console_css, as: UTF8.self)
}
