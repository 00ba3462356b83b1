/* Checks the bundle (Proof.md) in <script id="bundle">, with the functions of verify.js before it:
 * one <li> per check in <section id="proof">. It does not fold: `subledger audit check` does. */
const bundle = JSON.parse(document.getElementById("bundle").textContent);
const [noteText, noteSignatures] = bundle.checkpoint.split(/\n\n(?=\u2014)/);
const [origin, treeSize, treeRoot] = noteText.split("\n");

const roots = document.getElementById("proof").dataset.roots.split(" ");

async function checkpointSigned() {
  const [name, id, key] = bundle.key.split(/\+([0-9a-f]{8})\+/);
  const [dash, signer, signature] = noteSignatures.trimEnd().split(" ");
  const [material, signed] = [base64(key), base64(signature)];
  need(dash === "\u2014" && name === origin && signer === name, "another name");
  need(material.slice(0, 2) === "01" && (await sha256(new Uint8Array(
    [...encode(`${name}\n`), ...bytes(material)]))).slice(0, 8) === id, "another key");
  need(signed.slice(0, 8) === id, "not by this key");
  const imported = await crypto.subtle.importKey(
    "raw", bytes(material.slice(2)), "Ed25519", false, ["verify"]);
  need(await crypto.subtle.verify(
    "Ed25519", imported, bytes(signed.slice(8)), encode(`${noteText}\n`)), "a wrong signature");
  return `${treeSize} events, by ${bundle.key}`;
}
function evidenceBytes({ evidence, evidenceEncoding }) {
  if (evidence === null) return undefined;
  return evidenceEncoding === "text" ? encode(evidence) : bytes(base64(evidence));
}
async function inLog(event) {
  const data = base64(event.leafData);
  const leafHash = await sha256(bytes(`00${data}`));
  const index = event.position - 1;
  await verifyLeaf({ data, hash: leafHash, index });
  const evidence = evidenceBytes(event);
  need(!evidence || data.includes(await sha256(evidence)), "other evidence");
  need(await verifyInclusion({ leafHash, index, size: treeSize,
    path: event.inclusion.map(base64), root: base64(treeRoot) }), "not in the tree");
  return "in the log, with this evidence";
}
async function signedByApple({ evidence }) {
  const tokens = evidence?.startsWith("{") ? Object.values(JSON.parse(evidence)) : [evidence];
  const jws = tokens.filter((token) => /^eyJ[^.]+\.[^.]+\.[^.]+$/.test(token ?? ""));
  let certificates;
  if (!jws.length) return "no JWS: recorded by the operator, a receipt, or erased";
  for (const token of jws) {
    const { checks } = await verifyJWS(token, roots);
    checks.forEach(({ ok, name, text }) => need(ok, `${name}: ${text}`));
    certificates = checks.find(({ name }) => name === "certificates").text;
  }
  return `${certificates}, valid at its date`;
}
async function proofs(page) {
  page.dataset.state = crypto.subtle ? "running" : "unavailable";
  if (!crypto.subtle) return page.append("This browser cannot verify here.");
  const checks = [await check("checkpoint signed", checkpointSigned)];
  for (const event of bundle.events) {
    checks.push(await check(`#${event.position}`, () => inLog(event)));
    checks.push(await check(`#${event.position} signature`, () => signedByApple(event)));
  }
  for (const { ok, name, text } of checks) {
    const row = page.querySelector("ul").appendChild(document.createElement("li"));
    row.textContent = `${ok ? "✓ ok" : "✗ FAILED"} ${name}: ${text}`;
    row.className = ok ? "yes" : "no";
  }
  page.dataset.state = checks.every(({ ok }) => ok) ? "yes" : "no";
}
document.getElementById("answer").textContent = JSON.stringify(bundle.answer, null, 2);
proofs(document.getElementById("proof"));
