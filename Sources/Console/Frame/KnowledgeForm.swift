internal import AppStore
internal import Ledger

/// The field and slider that select "as known at" of a page. Acts are not offered in the past.
struct KnowledgeForm {
    let frame: Frame
    /// Parameters of the page besides the state, kept as they are.
    var kept: [(String, String?)] = []
    /// How far back the slider reaches: 400 days.
    static let reachMilliseconds: Int64 = 400 * 86_400_000

    var html: HTML {
        let known = frame.state.knowledge.knownAt
        let value =
            if case .knownPosition(let position) = frame.state.knowledge { "#\(position)" } else {
                known?.rfc3339 ?? ""
            }
        let slider = (known ?? frame.now).milliseconds
        let least = frame.now.milliseconds - KnowledgeForm.reachMilliseconds
        return """
            <form class="filter" method="get" action="\(ViewState.address(frame))">
            \(Page.hidden(frame.state, but: ["knownAt", "knownPosition"]))\(Page.hidden(kept))\
            <label for="knownAt">As known at</label>
            <input id="knownAt" name="knownAt" value="\(value)" placeholder="now, a day, a time or #position" \
            maxlength="40" data-key="t" spellcheck="false">
            <input type="range" hidden aria-label="As known at, by sliding" data-slider="knownAt" min="\(least)" \
            max="\(frame.now.milliseconds)" value="\(max(slider, least))" step="60000">
            <button>Show</button>
            </form>
            """
    }
}

extension ViewState {
    /// The address of a frame's page without any parameter, for a form that sends them.
    static func address(_ frame: Frame) -> String {
        ViewState(environment: frame.state.environment).url(frame.path)
    }
}
