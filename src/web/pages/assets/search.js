// The search box in the header: matches while one types, by keyboard too.

const box = document.getElementById("q")
const { form } = box
const found = document.getElementById("found")
const status = document.getElementById("found-status")
const pauseMs = 150
let timer
let loading

function close() {
  clearTimeout(timer)
  loading?.abort()
  found.hidden = true
  status.textContent = ""
}

async function search() {
  loading?.abort()
  loading = new AbortController()
  const { signal } = loading
  try {
    const response = await fetch(`/explore/search?${new URLSearchParams(new FormData(form))}`, {
      headers: { Accept: "text/html", "X-Type-Ahead": "true" },
      signal,
    })
    // To sign in.
    if (response.redirected) return location.assign(response.url)
    const page = new DOMParser().parseFromString(await response.text(), "text/html")
    show(page.querySelector(".title p"), page.getElementById("matches")?.childNodes)
  } catch (error) {
    if (error.name === "AbortError") return
    show("The matches can't be loaded. Check your connection.")
  }
}

/** @param lead text or an element that describes the results, also to screen readers */
function show(lead, matches = []) {
  found.replaceChildren(lead, ...matches)
  found.hidden = false
  status.textContent = found.firstChild.textContent
}

box.addEventListener("input", () => {
  clearTimeout(timer)
  if (box.value.trim() === "") close()
  else timer = setTimeout(search, pauseMs)
})

form.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1, Escape: 0 }[event.key]
  if (step === undefined || found.hidden) return
  event.preventDefault()
  const stops = [box, ...found.querySelectorAll("a")]
  const next = step === 0 ? 0 : stops.indexOf(document.activeElement) + step
  stops.at(next % stops.length).focus()
  if (step === 0) close()
})

form.addEventListener("focusout", ({ relatedTarget }) => {
  if (!form.contains(relatedTarget)) close()
})

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea")
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
  event.preventDefault()
  box.focus()
  box.select()
})
