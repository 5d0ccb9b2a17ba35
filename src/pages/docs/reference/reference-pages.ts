/** The pages of the reference, one for each group of operations in the API's description. */
export interface ReferencePage {
  name: string
  title: string
  /** What one finds there, without a full stop. */
  summary: string
}

export const referencePages: readonly ReferencePage[] = [
  {
    name: "companies",
    title: "Companies",
    summary: "Search, filter and order them; one company",
  },
  {
    name: "tenements",
    title: "Tenements",
    summary: "By state, status, type and holder; of one company; one tenement",
  },
  {
    name: "subsidiaries",
    title: "Subsidiaries",
    summary: "Of one company",
  },
  {
    name: "company-versions",
    title: "Company versions",
    summary: "The history of one company",
  },
  {
    name: "tenement-versions",
    title: "Tenement versions",
    summary: "The history of one tenement",
  },
  {
    name: "reports",
    title: "Reports",
    summary: "Announcements by company, type, day and title; one announcement",
  },
  {
    name: "report-versions",
    title: "Report versions",
    summary: "The history of one announcement",
  },
  {
    name: "releases",
    title: "Releases",
    summary: "What each release changed",
  },
  {
    name: "sources",
    title: "Sources",
    summary: "Where the data comes from, and how fresh it is",
  },
  {
    name: "usage",
    title: "Usage",
    summary: "Your plan, your window and your requests of the last day",
  },
]

export const referencePath = (name: string): string => `/docs/reference/${name}`
