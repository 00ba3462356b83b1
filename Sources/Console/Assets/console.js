/* Keys and live behaviour of the console. Every page works without it. What it looks for:
 *   data-key="x" or "g c"  followed, pressed or focused by this key or two in a row
 *   form.find input[name=q]   focused by / and, even with keys off, by Ctrl+K or Command+K
 *   data-row               j and k move to its first link; Enter opens that
 *   #keys                  checkbox: keys on or off, kept in localStorage["subledger.keys"]
 *   <html data-tz="local"> every <time datetime> with a time is rewritten; its title has UTC
 *   button[data-copy=ID]   copies that element's text; `hidden` until then
 *   <tbody data-live=URL>  events named `row`, each one <tr> of trusted HTML, are prepended; after a
 *                          pause the URL is asked with after=ID of the last one
 *   data-live-pause        button that stops and resumes, `hidden` until then
 *   id and data-refresh=S  the element is fetched again from the page's address every S seconds
 *   data-live-state        says live, paused or reconnecting
 *   form[data-once]        is sent once
 *   input[type=range][data-slider=ID]  writes its value, ms since 1970, into that text field as
 *                          RFC 3339; [ and ] step by a day and send the form; `hidden` until then */
const [maximumRowCount, retryMilliseconds, dayMilliseconds] = [100, 5000, 86400000];
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const fields = "input:not([type=checkbox],[type=radio],[type=range],[type=button],[type=submit]),"
  + "textarea,select,[contenteditable]";

// Keys
const keysOff = (value) => {
  try {
    if (value !== undefined) localStorage.setItem("subledger.keys", value ? "off" : "on");
    return localStorage.getItem("subledger.keys") === "off";
  } catch { return false; }
};
let earlierKey = "";
function press(key) {
  const keyed = (name) => document.querySelector(`[data-key="${CSS.escape(name)}"]`);
  const target = (earlierKey && keyed(`${earlierKey} ${key}`)) || keyed(key);
  earlierKey = document.querySelector(`[data-key^="${CSS.escape(key)} "]`) && !target ? key : "";
  if (target) target.matches(fields) ? target.focus() : target.click();
  return Boolean(target);
}
function find() {
  const box = document.querySelector("form.find input[name=q]");
  box?.focus();
  box?.select();
  return Boolean(box);
}
function move(step) {
  const rows = all("[data-row]").filter((row) => row.offsetParent);
  const old = rows.findIndex((row) => row.ariaCurrent || row.contains(document.activeElement));
  const row = rows[Math.max(0, Math.min(rows.length - 1, old + step))];
  if (!row) return false;
  rows[old]?.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  const link = row.querySelector("a[href]");
  if (!link) row.tabIndex = -1;
  (link ?? row).focus();
  return true;
}
function stepDay(direction) {
  const slider = document.querySelector("[data-slider]");
  if (!slider) return false;
  slider.value = Number(slider.value) + direction * dayMilliseconds;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.form?.requestSubmit();
  return true;
}
addEventListener("keydown", (event) => {
  const { key } = event;
  let isDone = false;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "k") {
    isDone = find();
  } else if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || keysOff()) {
    return;
  } else if (event.target.closest?.(fields)) {
    if (key === "Escape") event.target.blur();
  } else if (!earlierKey && key in actions) {
    isDone = actions[key]();
  } else if (key.length === 1) {
    isDone = press(key);
  }
  if (isDone) event.preventDefault();
});
const actions = {
  "/": find, j: () => move(1), k: () => move(-1), "[": () => stepDay(-1), "]": () => stepDay(1),
};

// Elements, on loading and again in what arrives later
function prepare(root) {
  if (document.documentElement.dataset.tz === "local") all("time[datetime]", root).forEach(local);
  all("[data-copy],[data-live-pause],[data-slider]", root).forEach((one) => { one.hidden = false; });
}
const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });
function local(element) {
  const date = new Date(element.dateTime);
  if (!element.dateTime.includes("T") || isNaN(date)) return;
  element.title ||= date.toISOString().replace(/\.000Z$/, "Z");
  element.textContent = format.format(date);
}
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "selected";
  }
  setTimeout(() => { button.textContent = label; }, 2000);
}
addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-copy],[data-live-pause]");
  if (button?.matches("[data-copy]") && button.textContent !== "copied") copy(button);
  if (button?.matches("[data-live-pause]")) {
    isPaused = !isPaused;
    button.setAttribute("aria-pressed", String(isPaused));
    isPaused ? stop() : start();
  }
});
addEventListener("input", ({ target }) => slide(target));
function slide(slider) {
  const field = document.getElementById(slider.dataset?.slider);
  if (!field) return;
  field.value = new Date(Number(slider.value)).toISOString().replace(/\.\d+Z$/, "Z");
  slider.setAttribute("aria-valuetext", field.value);
}
addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
  // After the browser has read the pressed button.
  setTimeout(() => all("button", form).forEach((button) => { button.disabled = true; }));
});

// Live
let [isPaused, sources, timers] = [false, [], []];
const say = (text) => all("[data-live-state]").forEach((one) => {
  if (one.textContent !== text) one.textContent = text;
});
function open(body) {
  const url = new URL(body.dataset.live, location.href);
  if (body.dataset.last) url.searchParams.set("after", body.dataset.last);
  const source = new EventSource(url);
  sources.push(source);
  source.onopen = () => say("live");
  source.onerror = () => {
    say("reconnecting");
    // 503 and other answers end the source; the browser itself retries only lost connections.
    if (source.readyState === EventSource.CLOSED && sources.includes(source)) {
      sources.splice(sources.indexOf(source), 1);
      timers.push(setTimeout(() => open(body), retryMilliseconds));
    }
  };
  source.addEventListener("row", ({ data, lastEventId }) => {
    const template = document.createElement("template");
    template.innerHTML = data;
    const row = template.content.querySelector("tr");
    if (!row) return;
    prepare(row);
    body.prepend(row);
    while (body.rows.length > maximumRowCount) body.rows[body.rows.length - 1].remove();
    if (lastEventId) body.dataset.last = lastEventId;
  });
}
async function refresh(id) {
  const old = document.getElementById(id);
  if (!old || document.activeElement?.matches(fields) && old.contains(document.activeElement)) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store", redirect: "error" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(id);
    if (!fresh || !old.isConnected || isPaused) return;
    const index = all("a,button,summary", old).indexOf(document.activeElement);
    prepare(fresh);
    old.replaceWith(fresh);
    all("a,button,summary", fresh)[index]?.focus();
    say("live");
  } catch { say("reconnecting"); }
}
function start() {
  if (isPaused || document.hidden || sources.length + timers.length > 0) return;
  all("[data-live]").forEach(open);
  all("[data-refresh][id]").forEach(({ id, dataset }) =>
    timers.push(setInterval(refresh, Number(dataset.refresh) * 1000, id)));
}
function stop() {
  sources.forEach((source) => source.close());
  timers.forEach(clearTimeout);
  [sources, timers] = [[], []];
  say("paused");
}
addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
addEventListener("pagehide", stop);
addEventListener("pageshow", () => {
  all("form[data-once]").forEach((form) => {
    delete form.dataset.sent;
    all("button", form).forEach((button) => { button.disabled = false; });
  });
  start();
});

prepare(document);
all("[data-slider]").forEach((slider) => {
  const date = Date.parse(document.getElementById(slider.dataset.slider)?.value);
  if (date) slider.value = date;
});
const checkbox = document.getElementById("keys");
if (checkbox) {
  checkbox.checked = !keysOff();
  checkbox.addEventListener("change", () => keysOff(!checkbox.checked));
}
