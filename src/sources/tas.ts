/** Tasmania's register, in the national view's columns, in upper case and without areas. */
import { viewSource } from "./national-view.ts"
import type { Source } from "./source.ts"

export const tas: Source = viewSource("tas", "Tasmania's register of tenements", () => "TAS")
