// The map of tenements: shapes where few match, points where many do.
// After a move, `explore.js` loads the list of the box in view; then this draws what is missing.

const { L } = globalThis
/** Lines in the colour of the text, which `colour` sets. */
const ink = { interactive: false }
const byId = (id) => document.getElementById(id)
const element = byId("map")
const { coast, tiles } = element.dataset
const mostShapes = 2_000
/** Where the service has places. */
const world = L.latLngBounds([-60, 90], [0, 180])
const australia = L.latLngBounds([-43.7, 113], [-10.5, 153.7])

const map = L.map(element, {
  attributionControl: false,
  fadeAnimation: false,
  maxBounds: world.pad(1),
  minZoom: 3,
  maxZoom: 18,
  // A thumb hits beside a small shape.
  renderer: L.canvas({ padding: 0.5, tolerance: 6 }),
  trackResize: false,
  zoomControl: false,
})
// One finger and the wheel alone scroll the page past the map.
for (const name of ["touchstart", "wheel"]) {
  const letScroll = (event) => {
    const isForMap = event.touches?.length > 1 || event.ctrlKey || event.metaKey
    if (!isForMap) event.stopPropagation()
  }
  element.addEventListener(name, letScroll, { capture: true, passive: true })
}

/* Colours by classes of the stylesheet: the first match decides. */
const palettes = {
  status: [
    ["granted", /granted/i, "good"],
    ["pending", /pending/i, "waiting"],
    ["other", /^/, ""],
  ],
  type: [
    ["exploration", /exploration/i, "waiting"],
    ["prospecting", /prospecting/i, "good"],
    ["mining", /mining|mineral/i, "bad"],
    ["other", /^/, ""],
  ],
  asx_codes: companiesOf([]),
}
/** The four companies with the most of these points or shapes. */
function companiesOf(tenements) {
  const codes = tenements.map((each) => (each.properties ?? each).asx_codes).join()
  const counts = Object.groupBy(codes.match(/\w+/g) ?? [], (code) => code)
  const most = Object.values(counts).sort((one, other) => other.length - one.length)
  const named = ["good", "waiting", "bad", "blue"].flatMap((tone, at) => {
    const [code] = most[at] ?? []
    return code ? [[code, RegExp(`\\b${code}\\b`), tone]] : []
  })
  return [...named, ["others", /^/, ""]]
}
/** The hash of the address has the colours, and the tenement that a person chose. */
const readHash = () => new URLSearchParams(location.hash.slice(1))
function setHash(name, value) {
  const hash = readHash()
  hash.set(name, value)
  history.replaceState(null, "", `#${hash}`)
}

let by
let colours
const colourOf = (tenement) =>
  colours[palettes[by].findIndex(([, pattern]) => pattern.test(tenement[by]))]

function colour() {
  by = readHash().get("colour")
  if (!Object.hasOwn(palettes, by)) by = "status"
  byId("colour").value = by
  const items = palettes[by].map(([words, , tone]) => {
    const item = document.createElement("span")
    item.className = tone
    item.textContent = words
    return item
  })
  byId("legend").replaceChildren(...items)
  colours = items.map((item) => getComputedStyle(item).borderLeftColor)
  ink.color = getComputedStyle(element).color
  for (const layer of [land, ground, chosen]) layer.setStyle(ink)
  shapes.setStyle(styleOf)
  dots.redraw()
}

/** Pending ones have another line too. */
const styleOf = ({ properties }) => ({
  color: colourOf(properties),
  dashArray: /pending/i.test(properties.status) ? "4 4" : null,
  weight: 2,
  fillOpacity: 0.15,
})

/* Land, borders and towns. A base map covers the land and names its towns. */
map.createPane("land").style.zIndex = 150
const land = L.featureGroup().addTo(map)

async function drawLand() {
  const { coast: outlines, borders } = await (await fetch(coast)).json()
  const line = { ...ink, renderer: L.canvas({ pane: "land" }), weight: 1, opacity: 0.4 }
  for (const outline of outlines) land.addLayer(L.polygon(outline, { ...line, fillOpacity: 0.05 }))
  for (const border of borders) land.addLayer(L.polyline(border, { ...line, dashArray: "6 4" }))
  const name = { permanent: true, direction: "center", className: "town" }
  for (const { value, label } of tiles ? [] : byId("near-values").options) {
    L.tooltip(value.split(",").slice(0, 2), { ...name, content: label }).addTo(map)
  }
}

/* Data: the matches of the list's filters at its release. The browser caches them. */
let query
let asking = new AbortController()
/** Every match with a place, if too many for shapes are in view. */
let points = []
let reading

const parsed = (text) => new DOMParser().parseFromString(text, "text/html")

/** @throws Error with the message of the page that came in its place */
async function read(address) {
  const response = await fetch(address, { signal: asking.signal })
  if (response.redirected) {
    location.reload()
    throw new Error("Your session has ended. Sign in again.")
  }
  if (response.ok) return response
  throw new Error(parsed(await response.text()).querySelector(".title p")?.textContent)
}

/** The matches with a place. @param fields after the identifier and the place */
async function readRows(query, fields) {
  const response = await read(
    `/explore/map.tsv?${query}&fields=id,latitude,longitude,${fields}&formula_guard=false`,
  )
  const [, ...lines] = (await response.text()).split(/\r?\n/)
  return lines.map((line) => line.split("\t")).filter(([, latitude]) => latitude)
}

async function readPoints() {
  const rows = await readRows(query, "status,type,asx_codes")
  points = rows.map(([id, latitude, longitude, status, type, asx_codes]) => {
    const [lat, lng] = [Number(latitude), Number(longitude)]
    return { id, lat, lng, status, type, asx_codes, ...map.project([lat, lng], 0) }
  })
}

const pointsIn = (box) => points.filter((point) => box.contains(point))

/** Tiles that Leaflet moves. Points have places in pixels of zoom 0. */
const dots = L.gridLayer({ pane: "overlayPane", tileSize: 512, keepBuffer: 1, noWrap: true })
dots.createTile = ({ x: column, y: row, z }) => {
  const tile = document.createElement("canvas")
  const size = dots.getTileSize().x
  tile.width = tile.height = size * devicePixelRatio
  const pen = tile.getContext("2d")
  pen.scale(devicePixelRatio, devicePixelRatio)
  const side = z < 6 ? 2 : z < 9 ? 3 : 5
  for (const point of points) {
    const left = point.x * 2 ** z - column * size
    const top = point.y * 2 ** z - row * size
    if (Math.min(left, top) < -side || Math.max(left, top) > size + side) continue
    pen.fillStyle = colourOf(point)
    pen.fillRect(left - side / 2, top - side / 2, side, side)
  }
  return tile
}

/** Layers by ids of tenements. */
const layers = new Map()
const shapes = L.geoJSON(null, { onEachFeature: ({ id }, layer) => layers.set(id, layer) })
/** The box whose shapes are all loaded, and these. */
let known
let features
/** Those of `features` and `points` that are drawn. */
let drawn

/** @returns the features in a box, if they are few enough */
async function readShapes(box) {
  const rest = `fields=id,status,type,asx_codes&bbox=${box.toBBoxString()}`
  const response = await read(`/explore/map.geojson?${query}&${rest}`)
  if (Number(response.headers.get("X-Total-Count")) > mostShapes) {
    return void response.body.cancel()
  }
  return (await response.json()).features
}

/* The view. The address and the list follow it. */
/** The box of the address. */
let shownBox = null
/** Counts the updates: responses may come in another order. */
let drawings = 0
/** The ground of the filter `near`: a circle, or what is around a tenement. */
const ground = L.featureGroup().addTo(map)
/** The view without a box. */
let home = australia

/** The part of a box within the world, rounded outwards to about a metre: numbers without exponents. */
function clamped(box) {
  const down = (degrees) => Math.floor(degrees * 1e5) / 1e5
  const up = (degrees) => Math.ceil(degrees * 1e5) / 1e5
  return L.latLngBounds(
    [Math.max(down(box.getSouth()), -60), Math.max(down(box.getWest()), 90)],
    [Math.min(up(box.getNorth()), 0), Math.min(up(box.getEast()), 180)],
  )
}

/** Moves by the script itself, or to show a card, do not change the view. */
const pause = () => map.off("moveend", follow).once("moveend", () => map.on("moveend", follow))
map.on("autopanstart", pause)
const fit = (bounds) => pause().fitBounds(bounds, { animate: false })

/** Has the list show the box in view. Outside of Australia there is none. */
function follow() {
  if (!world.overlaps(map.getBounds())) return
  shownBox = clamped(map.getBounds()).toBBoxString()
  setBox(shownBox)
}

/** Writes the box into the form, whose script loads the list. @param box empty for none */
function setBox(box) {
  const field = byId("filters").elements.bbox
  field.value = box
  field.dispatchEvent(new Event("input", { bubbles: true }))
}

/** Follows the list, or repeats the message in its place. */
function update() {
  drawings++
  const list = byId("as-list")?.dataset
  const isNew = list?.query !== query
  if (isNew) {
    query = list?.query
    asking.abort()
    asking = new AbortController()
    points = []
    known = reading = undefined
    map.closePopup()
    drawGround(list?.area)
  }
  if (!list) {
    map.removeLayer(shapes).removeLayer(dots)
    byId("next").disabled = true
    return say(byId("results").textContent, true)
  }
  const box = new URLSearchParams(location.search).get("bbox")
  if (box !== shownBox || (isNew && !box)) place(box)
  return attempt(draw(Number(list.total)))
}

/** @param area around a tenement */
function drawGround(area) {
  const [latitude, longitude, km] = new URLSearchParams(query).get("near")?.split(",") ?? []
  const line = { ...ink, weight: 2, fill: false }
  ground.clearLayers()
  home = australia
  if (area) {
    home = ground.addLayer(L.polygon(JSON.parse(area), line)).getBounds()
  } else if (km) {
    ground.addLayer(L.circle([latitude, longitude], { ...line, radius: km * 1000 }))
    home = L.latLng(latitude, longitude).toBounds(km * 2000)
  }
}

function place(box) {
  shownBox = box
  if (!box) return fit(home)
  const [west, south, east, north] = box.split(",")
  const bounds = L.latLngBounds([south, west], [north, east])
  fit(bounds)
  // Another window shows more.
  if (!bounds.pad(0.02).contains(clamped(map.getBounds()))) follow()
}

/** Draws what is in view, without a request if it is known. @param total of the list */
async function draw(total) {
  const drawing = drawings
  const view = clamped(map.getBounds())
  say("Loading the map …")
  if (!known?.contains(view) && total <= mostShapes) {
    // With the ground around it if it has few: small moves need nothing.
    let box = shownBox === null ? world : clamped(view.pad(total <= mostShapes / 4 ? 0.5 : 0))
    let found = await readShapes(box)
    if (!found) {
      box = view
      found = await readShapes(box)
    }
    if (drawing !== drawings) return
    if (found) {
      known = box
      features = found
      layers.clear()
      shapes.clearLayers().addData(features)
    }
  }
  const hasShapes = known?.contains(view)
  if (!hasShapes) {
    reading ??= readPoints()
    await reading
  }
  if (drawing !== drawings) return
  if (drawn !== (hasShapes ? features : points)) {
    drawn = hasShapes ? features : points
    palettes.asx_codes = companiesOf(drawn)
    colour()
  }
  map.addLayer(hasShapes ? shapes : dots).removeLayer(hasShapes ? dots : shapes)
  // Until a person moves the map, it fits the matches of filters.
  const isFiltered = query.includes("&") && home === australia
  if (!shownBox && isFiltered && hasShapes && layers.size > 0) fit(shapes.getBounds())
  const ids = inView()
  byId("next").disabled = ids.length === 0
  const count = (shownBox ? total : ids.length).toLocaleString("en-AU")
  const how = hasShapes ? "shapes" : "points. Zoom in to see their shapes"
  const words = "#results > :is(.neutral, .muted)"
  const reason = ids.length === 0 && !shownBox && document.querySelector(words)?.textContent
  say(reason || `Tenements in view: ${count}, as ${how}.`)
  const id = readHash().get("id")
  if (id === chosenId || !ids.includes(id)) return
  const layer = layers.get(id)
  if (layer && !view.contains(layer.getBounds())) fit(layer.getBounds().pad(0.5))
  await choose(id)
}

function say(text, isFault = false) {
  const note = byId("map-note")
  note.textContent = text
  note.classList.toggle("fault", isFault)
}

function attempt(work) {
  return work.catch(({ name, message }) => {
    if (name === "AbortError") return
    reading = undefined
    // Others are the browser's.
    say((name === "Error" && message) || "The map can't be loaded. Check your connection.", true)
  })
}

/* The chosen tenement: its outline, and the facts of its page. */
let chosenId
const chosen = L.geoJSON(null, { style: ink }).addTo(map)

/** The ids of the tenements that are drawn in the view. */
function inView() {
  const view = map.getBounds()
  if (map.hasLayer(dots)) return pointsIn(view).map(({ id }) => id)
  return [...layers].flatMap(([id, layer]) => (view.intersects(layer.getBounds()) ? [id] : []))
}

/** @param at the place of a click */
async function choose(id, at) {
  const layer = layers.get(id)
  const place = at ?? layer?.getBounds().getCenter() ?? points.find((each) => each.id === id)
  chosenId = id
  setHash("id", id)
  chosen.clearLayers()
  if (layer) chosen.addData(layer.feature)
  const asOf = new URLSearchParams(location.search).get("as_of")
  const address = `/explore/tenements/${encodeURIComponent(id)}${asOf ? `?as_of=${encodeURIComponent(asOf)}` : ""}`
  const page = parsed(await (await read(address)).text())
  if (id !== chosenId) return
  const link = Object.assign(document.createElement("a"), { href: address })
  link.append(...page.querySelector("h1").childNodes)
  const card = document.createElement("div")
  card.append(link, " ", page.querySelector(".facts"))
  L.popup({ content: card, maxHeight: 0.38 * element.clientHeight, minWidth: 260 })
    .setLatLng(place)
    .openOn(map)
  byId("announcement").textContent = card.textContent
}

/** Chooses the next tenement in view. */
function next() {
  const ids = inView()
  if (ids.length > 0) attempt(choose(ids[(ids.indexOf(chosenId) + 1) % ids.length]))
}

/** Moves to a town, to `latitude,longitude`, or to a tenement. Without its shape, `draw` chooses it later. */
async function find(text) {
  const towns = [...byId("near-values").options]
  const town = towns.find(({ label }) => label.toLowerCase() === text.toLowerCase())
  let [, ...place] = /^(-\d+\.?\d*)[,\s]+(\d+\.?\d*)/.exec(town?.value ?? text) ?? []
  let id
  if (!place[0]) {
    const asked = new URLSearchParams(query)
    asked.set("search", text)
    const rows = await readRows(asked, "tenement_id")
    // The shortest is the whole number.
    ;[[id, ...place] = []] = rows.sort((one, other) => one[3].length - other[3].length)
  }
  place = place.slice(0, 2).map(Number)
  if (!place[0] || !world.contains(place)) {
    throw Error(`The map has no “${text}”. Type a town, a number or -30.75, 121.47.`)
  }
  if (id) setHash("id", id)
  chosenId = undefined
  map.setView(place, id ? 11 : 9, { animate: false })
  if (layers.has(id)) await choose(id)
}

shapes.on("click", ({ layer, latlng }) => attempt(choose(layer.feature.id, latlng)))
map.on("click", ({ containerPoint }) => {
  const corners = [-8, 8].map((far) => map.containerPointToLatLng(containerPoint.add([far, far])))
  const [point] = map.hasLayer(dots) ? pointsIn(L.latLngBounds(corners)) : []
  if (point) attempt(choose(point.id))
})
L.control.zoom({ position: "bottomright" }).addTo(map)
L.control.scale({ imperial: false, maxWidth: 150 }).addTo(map)
map.on("zoomend", () => element.classList.toggle("far", map.getZoom() < 6))
byId("colour").addEventListener("change", ({ target }) => {
  setHash("colour", target.value)
  colour()
})
addEventListener("popstate", colour)
// A link to this page with other filters keeps the colours.
byId("results").addEventListener("click", ({ target }) => {
  const link = target.closest("a")
  if (link?.pathname === location.pathname) link.hash = location.hash
})
byId("next").addEventListener("click", next)
byId("reset").addEventListener("click", () => setBox(""))
byId("find").addEventListener("submit", (event) => {
  event.preventDefault()
  attempt(find(byId("sought").value.trim()))
})
element.addEventListener("keydown", ({ key }) => key === "n" && byId("next").click())
addEventListener("resize", () => {
  if (!shownBox) map.off("moveend", follow)
  map.invalidateSize({ animate: false }).on("moveend", follow)
})
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", colour)
document.addEventListener("content-changed", update)
colour()
const first = update()
map.getZoom() ?? fit(home)
attempt(drawLand())
// The view moves to few matches.
if (byId("as-list")?.dataset.total <= mostShapes) await first
// Servers of tiles ask who uses them.
if (tiles) L.tileLayer(tiles, { referrerPolicy: "strict-origin" }).addTo(map)
