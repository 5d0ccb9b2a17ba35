/** The list of tenements with a map above it, which the script `map.js` draws. */
import { queryText } from "../../../../api/http/query-string.ts"
import { contentSecurityPolicy } from "../../../../api/http/response-headers.ts"
import { tenements } from "../../../../data/resources/tenements.ts"
import { renderMarkdown } from "../../docs/markdown.ts"
import { assetFiles } from "../../kit/assets.ts"
import { attributes, type Content, html } from "../../kit/html.ts"
import type { ShownPage } from "../visit.ts"
import { addressWith, filtersOf, type RequestedList } from "./list-address.ts"
import type { ListView } from "./list-view.ts"
import { tenementsView } from "./tenement-views.ts"

export interface BaseMapOptions {
  /** The address of a base map's tiles, with `{z}`, `{x}` and `{y}`; null without a base map. */
  mapTiles: string | null
  /** The credit for the tiles, as Markdown. */
  mapAttribution: string
}

export const mapPath = "/map"

export const createMapView = ({ mapTiles: tiles, mapAttribution }: BaseMapOptions): ListView => ({
  ...tenementsView,
  path: mapPath,
  title: "Map",
  above: html`<section class="panel" data-with-script>
<div class="toolbar"><p id="map-note" role="status">Loading the map …</p>
<form class="search" id="find" role="search" aria-label="On the map">
<input type="search" id="sought" required list="near-values" placeholder="Town or tenement" autocomplete="off" spellcheck="false"
aria-label="Town, latitude and longitude, or tenement number"><button>Find</button></form></div>
<div ${attributes({
    id: "map",
    role: "region",
    "aria-label":
      "Map of the tenements. Arrow keys move it, + and - zoom, N steps through the tenements",
    "data-coast": assetFiles["australia.json"].path,
    "data-tiles": tiles,
  })}></div>
<div class="toolbar"><label for="colour">Colour</label>
<select id="colour"><option value="status">Status</option><option value="type">Type</option><option value="asx_codes">Company</option></select>
<p class="toolbar small" id="legend"></p>
<button type="button" id="next" disabled>Step through</button><button type="button" id="reset">Reset view</button>
<p class="hint">Move with two fingers<span class="wheel">, zoom with Ctrl + wheel</span>.</p></div>
${tiles && renderMarkdown(mapAttribution, (href) => href)}</section>`,
  page: {
    stylesheets: ["leaflet.css"],
    scripts: ["leaflet.js", "copy.js", "explore.js", "map.js"],
    ...(tiles && {
      headers: { "Content-Security-Policy": contentSecurityPolicy(new URL(tiles).origin) },
    }),
  },
})

/**
 * From a list of tenements to the map, and from the map to the list, with the same filters.
 * @param area the rings around a tenement, which the script draws
 */
export function mapLink(list: RequestedList, page: ShownPage, area: string | null): Content {
  const { meta, release } = page
  const { view, code } = list
  if (view.endpoint.resource !== tenements) return null
  const isMap = view.path === mapPath
  const other = { ...list, code: "", view: { ...view, path: isMap ? tenementsView.path : mapPath } }
  const href = addressWith(other, code === "" ? {} : { company: code })
  if (!isMap) return html`<a class="button" href="${href}">Map</a>`
  // The script draws the matches of these filters, wherever they are.
  const filters = filtersOf(list).filter(([name]) => name !== "bbox")
  const query = queryText([...filters, ["as_of", String(release.id)]])
  return html`<a ${attributes({ class: "button", id: "as-list", href, "data-query": query, "data-total": meta.total, "data-area": area })}>List</a>`
}
