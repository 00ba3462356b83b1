/* Keys and live behaviour; every page works without.
 * data-key="x" or "g c": followed, pressed or focused; "/" by Ctrl+K, even with keys off
 * data-row: j, k move to its first link
 * <html data-tz="local">: <time datetime> rewritten; heads say (local)
 * id, data-live=URL: fetched again at its messages, unless in use
 * form data-once: sent once in 10 s; with a key, shown after Back as it was sent
 * data-slider=ID: its ms as RFC 3339 into that field; [ ]: a day */
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const fields = "input:not([type=checkbox],[type=radio],[type=range]),textarea,select";
const keysOff = () => localStorage["subledger.keys"] === "off";

let prefix = "";
function press(key) {
  const keyed = (name) => all(`[data-key="${CSS.escape(name)}"]`)[0];
  const target = keyed(prefix + key) ?? keyed(key);
  const isFirst = !target && all(`[data-key^="${CSS.escape(key)} "]`)[0];
  prefix = isFirst ? `${key} ` : "";
  if (target?.matches(fields)) {
    target.focus();
    target.select?.();
  } else target?.click();
  return target;
}
function move(step) {
  const rows = all("[data-row]").filter((row) => row.offsetParent);
  const old = rows.findIndex((row) => row.ariaCurrent || row.contains(document.activeElement));
  const row = rows[old + step] ?? rows[Math.max(old, 0)];
  rows[old]?.removeAttribute("aria-current");
  row?.setAttribute("aria-current", "true");
  row?.querySelector("a[href]")?.focus();
  return row;
}
function slide(slider, days = 0) {
  const field = document.getElementById(slider?.dataset.slider);
  if (!field) return;
  slider.valueAsNumber += days * 864e5;
  field.value = new Date(slider.valueAsNumber).toISOString().replace(/\.\d+/, "");
  slider.ariaValueText = field.value;
  if (days) slider.form.requestSubmit();
}
const slider = all("[data-slider]")[0];
const actions = {
  j: () => move(1), k: () => move(-1), "[": () => slide(slider, -1), "]": () => slide(slider, 1),
};
addEventListener("keydown", (event) => {
  const { key, target } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  let found;
  if (isCommand && key === "k") found = press("/");
  else if (isCommand || event.altKey || keysOff()) return;
  else if (target.closest?.(fields)) key === "Escape" && target.blur();
  else if (!prefix && key in actions) found = actions[key]();
  else if (key.length === 1) found = press(key);
  if (found) event.preventDefault();
});

function prepare(root) {
  if (document.documentElement.dataset.tz === "local") {
    for (const time of all("time[datetime$=Z]", root)) {
      time.title ||= time.dateTime;
      time.textContent = new Date(time.dateTime).toLocaleString("sv-SE");
    }
    const named = (text) => text.replace("(UTC)", "(local)");
    for (const head of all("th[scope=col]", root)) head.textContent = named(head.textContent);
    for (const { dataset } of all("[data-label]", root)) dataset.label = named(dataset.label);
  }
  // No clipboard on plain http.
  for (const one of all("[data-slider],[data-copy]", root)) {
    one.hidden = "copy" in one.dataset && !navigator.clipboard;
  }
}
addEventListener("click", async ({ target }) => {
  const source = document.getElementById(target.dataset.copy);
  if (!source) return;
  await navigator.clipboard.writeText(source.textContent);
  target.textContent = "copied";
});
addEventListener("input", ({ target }) => slide(target));
addEventListener("submit", (event) => {
  const form = event.target;
  if (form.ariaBusy) return event.preventDefault();
  if (!form.matches("[data-once]")) return;
  form.ariaBusy = "true";
  if (form.elements.key) history.replaceState(Object.fromEntries(new FormData(form)), "");
  setTimeout(() => { form.ariaBusy = null; }, 1e4);
});

let sources = [];
const say = (text) => { for (const one of all("[data-live-state]")) one.textContent = text; };
async function refresh(id) {
  const old = document.getElementById(id);
  const isUsed = () => old.contains(document.activeElement) || !getSelection().isCollapsed;
  if (isUsed()) return say("paused");
  const answer = await fetch(location, { cache: "no-store", redirect: "manual" })
    .catch(() => ({}));
  if (answer.type === "opaqueredirect") return location.reload();
  const text = answer.ok ? await answer.text() : "";
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(id);
  say(fresh ? "live" : "reconnecting");
  old.classList.toggle("stale", !fresh);
  if (!fresh || isUsed()) return;
  prepare(fresh);
  if (!fresh.isEqualNode(old)) old.replaceWith(fresh);
}
function open({ id, dataset }) {
  const source = new EventSource(dataset.live);
  source.onmessage = () => refresh(id);
  source.onerror = () => {
    refresh(id).then(() => say("reconnecting"));
    // Not retried.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => { if (sources.includes(source)) listen(); }, 5e3);
    }
  };
  return source;
}
function listen() {
  sources.forEach((source) => source.close());
  sources = document.hidden ? [] : all("[data-live]").map(open);
}
addEventListener("visibilitychange", listen);
addEventListener("pageshow", () => {
  for (const form of all("[data-once]")) form.ariaBusy = null;
  listen();
});

prepare(document);
for (const name in history.state) {
  const field = all("[data-once]")[0]?.elements[name];
  Object.assign(field ?? {}, { value: history.state[name], checked: true });
}
for (const box of all("#keys")) {
  box.checked = !keysOff();
  box.onchange = () => localStorage["subledger.keys"] = box.checked ? "on" : "off";
}
