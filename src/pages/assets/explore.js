// The explorer with scripts: results as one types, and a token in the lines for other programs.

const form = document.getElementById("filters")
const results = document.getElementById("results")

/* Results as one types. Each load counts as a request, so it waits for a pause, and none is made twice. */
const pauseMs = 250
let timer
let loading
let shown = location.pathname + location.search

function asked() {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (value.trim() !== "") query.append(name, value)
  const text = query.toString()
  return text === "" ? location.pathname : `${location.pathname}?${text}`
}

function schedule(delayMs) {
  clearTimeout(timer)
  timer = setTimeout(load, delayMs)
}

async function load() {
  const address = asked()
  if (address === shown) return
  shown = address
  loading?.abort()
  loading = new AbortController()
  results.setAttribute("aria-busy", "true")
  try {
    const response = await fetch(address, {
      headers: { Accept: "text/html" },
      signal: loading.signal,
    })
    // To another list, or to sign in.
    if (response.redirected) return location.assign(response.url)
    show(new DOMParser().parseFromString(await response.text(), "text/html"), address)
  } catch (error) {
    if (error.name === "AbortError") return
    shown = ""
    showMessage("The results can't be loaded.", "Check your connection, then choose Apply.")
  }
  results.removeAttribute("aria-busy")
}

function show(page, address) {
  const found = page.getElementById("results")
  if (!found) {
    shown = ""
    const [title, message] = ["h1", ".title p"].map((each) => page.querySelector(each)?.textContent)
    return showMessage(title ?? "", message ?? "")
  }
  const lead = page.getElementById("lead").textContent
  results.replaceChildren(...found.childNodes)
  document.getElementById("lead").textContent = lead
  announce(lead)
  for (const fault of form.querySelectorAll(".fault")) fault.remove()
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid")
  history.replaceState(null, "", address)
  document.dispatchEvent(new Event("content-changed"))
}

function showMessage(title, message) {
  const notice = document.createElement("div")
  notice.className = "notice bad"
  for (const text of [title, message]) {
    const line = document.createElement("p")
    line.textContent = text
    notice.append(line)
  }
  results.replaceChildren(notice)
  announce(`${title} ${message}`)
}

function announce(text) {
  document.getElementById("announcement").textContent = text
}

if (form && results) {
  // Of a code or a date typed in part nothing is known: those wait until the field is left.
  form.addEventListener("input", ({ target }) => {
    if (target.type === "search") schedule(pauseMs)
  })
  form.addEventListener("change", () => schedule(0))
  form.addEventListener("submit", () => {
    clearTimeout(timer)
    loading?.abort()
  })
}

/* A token in the lines. Its value is in this page alone: in no form, in no address, in no storage. */
const chosen = { program: "", prefix: "", value: "" }
const byId = (id) => document.getElementById(id)

function prepare() {
  for (const each of document.querySelectorAll("[data-with-script]")) each.hidden = false
  for (const each of document.querySelectorAll("[data-without-script]")) each.hidden = true
  const program = chosen.program && byId(`program-${chosen.program}`)
  if (program) program.checked = true
  if (!byId("token-name")) return
  byId("token-name").value = chosen.prefix
  byId("token-value").value = chosen.value
  fill()
}

function fill() {
  const { prefix, value } = chosen
  const field = byId("token-value")
  const { placeholder } = field.dataset
  const isValue = /^mds_[0-9A-Za-z]+$/.test(value) && value.length > prefix.length
  const fits = prefix !== "" && isValue && value.startsWith(prefix)
  field.closest("[data-token-value]").hidden = prefix === ""
  for (const code of document.querySelectorAll(".snippet code")) {
    code.dataset.line ??= code.textContent
    code.textContent = fits ? code.dataset.line.replaceAll(placeholder, value) : code.dataset.line
  }
  if (prefix !== "") {
    byId("token-note").textContent = fits
      ? "The lines have your token. It stays in this page."
      : value === ""
        ? `Paste the value that begins with ${prefix}: it was shown once, and the service has only its hash.`
        : `This is not the value of the token that begins with ${prefix}.`
  }
}

document.addEventListener("input", ({ target }) => {
  if (target.name === "program") chosen.program = target.value
  if (target.id === "token-value") chosen.value = target.value.trim()
  if (target.id === "token-name") Object.assign(chosen, { prefix: target.value, value: "" })
  if (target.id === "token-name") byId("token-value").value = ""
  if (target.id.startsWith("token-")) fill()
})
document.addEventListener("content-changed", prepare)
prepare()
