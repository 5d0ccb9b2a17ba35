// The explorer with scripts: results as one types, and a token in the lines for other programs.

const byId = (id) => document.getElementById(id)
const form = byId("filters")
const results = byId("results")

/*
 * Results as one types. A request waits for a pause, and none is made twice. The history gets one entry
 * for each finished filter: while a filter is edited, its later results replace its entry.
 */
const pauseMs = 250
let timer
let loading
let shown = location.pathname + location.search
/** Counts the filters that were edited. */
let edit = 0
/** The edit whose results the current entry of the history has. */
let editOfEntry

function addressOfForm() {
  const filled = [...new FormData(form)].filter(([, value]) => value.trim() !== "")
  const query = new URLSearchParams(filled).toString()
  return location.pathname + (query && `?${query}`)
}

/** @param headers of the request for the results, if they are not shown yet */
function follow(headers = {}) {
  clearTimeout(timer)
  const address = addressOfForm()
  if (address === shown) return
  const ofEdit = edit
  load(address, headers, () => {
    if (editOfEntry === ofEdit) history.replaceState(null, "", address + location.hash)
    else history.pushState(null, "", address + location.hash)
    editOfEntry = ofEdit
  })
}

/** @param headers as of `follow` */
function finish(headers) {
  follow(headers)
  edit++
}

/** After a step through the history: the results of its entry, and the form as it was. */
function restore() {
  const address = location.pathname + location.search
  // A link within the page.
  if (address === shown) return
  clearTimeout(timer)
  edit++
  load(address, {}, (page) => {
    form.replaceChildren(...page.getElementById("filters").childNodes)
  })
}

async function load(address, headers, onShown) {
  shown = address
  loading?.abort()
  loading = new AbortController()
  results.setAttribute("aria-busy", "true")
  try {
    const response = await fetch(address, {
      headers: { Accept: "text/html", ...headers },
      signal: loading.signal,
    })
    // To another list, or to sign in.
    if (response.redirected) return location.assign(response.url)
    const page = new DOMParser().parseFromString(await response.text(), "text/html")
    show(page)
    onShown(page)
  } catch ({ name, message }) {
    if (name === "AbortError") return
    shown = ""
    // Others are the browser's.
    showMessage(
      (name === "Error" && message) ||
        "The results can't be loaded. Check your connection, then try again.",
    )
  }
  document.dispatchEvent(new Event("content-changed"))
  results.removeAttribute("aria-busy")
}

/** @throws Error with the message of a page without results */
function show(page) {
  const found = page.getElementById("results")
  if (!found) throw new Error(page.querySelector(".title p")?.textContent)
  results.replaceChildren(...found.childNodes)
  byId("announcement").textContent = byId("lead").textContent.replaceAll(" ×", "")
  // The counts of a filter's values follow the other filters.
  for (const offered of form.querySelectorAll("select, datalist")) {
    const counted = page.getElementById(offered.id)
    if (counted?.localName !== offered.localName) continue
    offered.replaceChildren(...counted.cloneNode(true).childNodes)
    // Options that move one by one are each selected on the way.
    offered.value = counted.value
  }
  for (const fault of form.querySelectorAll(".fault")) fault.remove()
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid")
  for (const { id, parentElement } of page.querySelectorAll("#filters [aria-invalid]")) {
    const field = byId(id)
    field.setAttribute("aria-invalid", "true")
    field.setAttribute("aria-describedby", `${id}-fault`)
    field.parentElement.append(parentElement.querySelector(".fault").cloneNode(true))
  }
}

function showMessage(message) {
  const notice = document.createElement("p")
  notice.className = "notice bad"
  notice.textContent = message
  results.replaceChildren(notice)
  byId("announcement").textContent = message
}

if (form && results) {
  // A code typed in part matches nothing, so other text waits for its change. The map writes a hidden field.
  form.addEventListener("input", ({ target }) => {
    clearTimeout(timer)
    if (!["search", "date", "hidden"].includes(target.type)) return
    // A move of the map adds no entry to the browser history; a filter set after it adds one.
    const isMove = target.type === "hidden"
    if (isMove) editOfEntry = edit
    timer = setTimeout(isMove ? finish : follow, pauseMs, { "X-Type-Ahead": "true" })
  })
  // A date changes with each digit of its year.
  form.addEventListener("change", ({ target }) => {
    // A circle may be out of the box in view.
    if (target.name === "near") form.elements.bbox.value = ""
    if (target.type !== "date") finish()
  })
  form.addEventListener("focusout", ({ target }) => {
    if (target.type === "date") finish()
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    finish()
  })
  addEventListener("popstate", restore)
}

/* The token that the person types. It stays in this page: no form, address or storage contains it. */
let token = ""

function prepare() {
  if (!byId("token")) return
  byId("token").value = token
  fill()
}

function fill() {
  const fits = /^mds_[0-9A-Za-z]{49}$/.test(token)
  for (const code of document.querySelectorAll("[name=program] code")) {
    code.dataset.line ??= code.textContent
    const { placeholder } = byId("token").dataset
    code.textContent = fits ? code.dataset.line.replaceAll(placeholder, token) : code.dataset.line
  }
  for (const each of document.querySelectorAll("[data-token-sentence]")) each.hidden = fits
  byId("token-note").textContent = fits
    ? "The lines have your token. It stays in this page."
    : token === ""
      ? "Paste one of your tokens. It stays in this page."
      : "This is not a token: one begins with mds_, and was shown once."
}

document.addEventListener("input", ({ target }) => {
  if (target.id !== "token") return
  token = target.value.trim()
  fill()
})
document.addEventListener("content-changed", prepare)
prepare()

/* Escape closes a menu. */
document.addEventListener("keydown", ({ key }) => {
  const button = document.querySelector(".menu[open] > summary")
  if (key === "Escape" && button) {
    button.click()
    button.focus()
  }
})
