/** The frame of every page. */
import type { Release } from "../../../data/reader/releases.ts"
import { type AssetName, assetFiles } from "./assets.ts"
import { linkItems, type PageLink } from "./components.ts"
import { longDate, relative } from "./format.ts"
import { attributes, type Content, type Html, html } from "./html.ts"

export interface PageContent {
  /** Of the document; the page's own heading is part of `main`. */
  title: string
  section?: Section
  main: Content
  /** Only those that this page adds. */
  stylesheets?: readonly AssetName[]
  scripts?: readonly AssetName[]
  searched?: string
}

export interface Frame {
  /** The email address of the signed-in person; null without a session, undefined if it is unknown. */
  email: string | null | undefined
  /** The newest release, if it is known. */
  release: Release | null
  /** As of `newestObserved`. */
  dataAt: number | null
  nowMs: number
}

/** Of a page that reads no session. */
export const unknownFrame: Frame = { email: undefined, release: null, dataAt: null, nowMs: 0 }

export const sections = [
  { path: "/", title: "Overview" },
  { path: "/explore", title: "Explore" },
  { path: "/docs", title: "Docs" },
  { path: "/account", title: "Account" },
] as const
export type Section = (typeof sections)[number]["path"]

export const serviceName = "Mining and Geological Data"

export function layout(content: PageContent, frame: Frame): Html {
  const { title, section, main, searched } = content
  // Matches need a session. Without one, Enter opens the sign-in page and then the matches.
  const isSignedIn = section === "/explore" || typeof frame.email === "string"
  const scripts = [...(content.scripts ?? []), ...(isSignedIn ? (["search.js"] as const) : [])]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(title)}</title>
<link rel="icon" href="${assetFiles["icon.svg"].path}">
${[...(content.stylesheets ?? []), "style.css" as const].map(
  (name) => html`<link rel="stylesheet" href="${assetFiles[name].path}">
`,
)}${scripts.map((name) => html`<script type="module" src="${assetFiles[name].path}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site-header"><div>
<a class="brand" href="/">${logo} ${serviceName}</a>
<nav aria-label="Main"><ul>${linkItems(sections, section)}</ul></nav>
${searchBox(section, isSignedIn, searched)}<div class="state">${state(frame)}</div>
</div></header>
<main id="main" tabindex="-1">
${main}
</main>
<footer class="site-footer muted small"><ul>${published(frame)}${linkItems(textLinks)}</ul></footer>
</body>
</html>
`
}

const logo = html`<svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor"
stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="M2 17 8 4l3.5 6.5 2-2L18 17Z"/></svg>`

const lens = html`<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor"
stroke-width="2" aria-hidden="true"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg>`

const textLinks: readonly PageLink[] = [
  { path: "/docs", title: "Documentation" },
  { path: "/openapi.json", title: "OpenAPI description" },
  { path: "/llms.txt", title: "Text for programs" },
]

/**
 * Its script shows matches while a person types; without scripts, Enter opens the page of matches. The matches take
 * the focus of a click, so that they stay open. The guide needs no account.
 */
function searchBox(section: Section | undefined, isSignedIn: boolean, value = "") {
  const isOfGuide = section === "/docs" && !isSignedIn
  return html`<form class="search" action="${isOfGuide ? "/docs" : "/explore/search"}" role="search" aria-label="${isOfGuide ? "Guide" : "Everything"}">
<label class="visually-hidden" for="q">Search ${isOfGuide ? "the guide" : "all lists and the guide"}</label>
<input ${attributes({
    type: "search",
    id: "q",
    name: "q",
    value,
    placeholder: isOfGuide ? "Search the guide" : "Name or number",
    maxlength: 200,
    autocomplete: "off",
    spellcheck: "false",
    enterkeyhint: "search",
    "aria-keyshortcuts": isSignedIn && "/",
    title: isSignedIn && "Press / to search",
  })}><button aria-label="Search">${lens}</button>
<div class="panel found" id="found" tabindex="-1" hidden></div><p class="visually-hidden" id="found-status" role="status"></p></form>
`
}

const signOut = html`<form method="post" action="/account/sign-out"><button class="quiet">Sign out</button></form>`

/** Removes characters that change the direction of text, because a title cannot contain a `<bdi>`. */
const titleOf = (title: string): string =>
  (title === serviceName ? title : `${title} · ${serviceName}`).replace(/\p{Bidi_Control}/gu, "")

const published = ({ release, dataAt, nowMs }: Frame): Content =>
  release &&
  release.id > 0 &&
  html`<li><a href="/explore/changes">Release ${release.id}</a>.
Published ${relative(release.publishedAt * 1000, nowMs)}${dataAt !== null && `; newest file of ${longDate(dataAt * 1000)}`}</li>`

function state({ email }: Frame): Content {
  if (email === undefined) return null
  if (email === null) return html`<a href="/account/sign-in">Sign in</a>`
  return html`<a href="/account" title="${email}">${email}</a>${signOut}`
}
