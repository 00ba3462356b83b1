package import AppStore
package import Proofs

/// A bundle as one page that checks itself: no server, no network, nothing to install.
package enum ProofPage {
    /// The page. The bundle is inside it, also for `audit check`.
    ///
    /// - Parameter roots: SHA-256 of the trusted roots; the page names each that is not Apple's.
    package static func html(_ bundle: ProofBundle, roots: [Digest]) -> [UInt8] {
        let trusted = roots.map(\.hexadecimal).sorted().joined(separator: " ")
        let json = String(decoding: bundle.pageBytes, as: UTF8.self)
        let script = [PackageResources.verify_js, PackageResources.proof_js].map {
            String(decoding: $0, as: UTF8.self)
        }.joined()
        let settings: HTML =
            bundle.answer?.settings.map { "\n<p>This answer is \($0).</p>" as HTML } ?? ""
        let subject = bundle.events.count == 1 ? "one event" : "\(bundle.events.count) events"
        let page = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            script-src 'unsafe-inline'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Proof of \(subject)</title>
            <style>
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; \
            padding: 0 1rem }
            li { overflow-wrap: anywhere } pre { overflow: auto }
            .yes { color: light-dark(#05600a, #7ee787) } .no { color: light-dark(#a40e26, #ff7b72) }
            </style>
            </head>
            <body>
            <h1>Proof of \(subject)</h1>
            <p>This page checks itself, here in the browser: that the log was signed, that these
            events are in it, and that Apple signed them. Compare the key with the one that the
            log's owner publishes. Whether they give the answer below is checked by
            <code>subledger audit check</code> of this file, which prints the answer that is
            proven; that the log holds no other event about it, by
            <code>subledger audit verify</code> of the log.</p>
            <section id="proof" data-state="waiting" data-roots="\(trusted)"><ul></ul></section>
            <noscript><p>Without JavaScript: <code>subledger audit check</code>.</p></noscript>
            <h2>Answer</h2>\(settings.text)
            <pre id="answer" tabindex="0"></pre>
            \(ProofBundle.pageStart)\(json)\(ProofBundle.pageEnd)
            <script type="module">
            \(script)
            </script>
            </body>
            </html>

            """
        return Array(page.utf8)
    }
}
