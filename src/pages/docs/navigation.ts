/** All pages below /docs, in groups. */
import { type GuidePage, guidePath, operatorGuide, userGuide } from "./guide-pages.ts"
import { referencePages, referencePath } from "./reference/reference-pages.ts"

export interface DocsLink {
  path: string
  title: string
  summary: string
}

export interface DocsGroup {
  title: string
  links: readonly DocsLink[]
}

const toLink = ({ name, title, summary }: GuidePage): DocsLink => ({
  path: guidePath(name),
  title,
  summary,
})

export const docsGroups: readonly DocsGroup[] = [
  { title: "Using the API", links: userGuide.map(toLink) },
  {
    title: "Reference",
    links: [
      {
        path: "/docs/reference",
        title: "All endpoints",
        summary: "Every endpoint with its fields, parameters, errors and a real answer",
      },
      ...referencePages.map(({ name, title, summary }) => ({
        path: referencePath(name),
        title,
        summary,
      })),
    ],
  },
  { title: "Running the service", links: operatorGuide.map(toLink) },
]
