/** Places in words, and suggestions of some. */
import { fold } from "../../../../system/text/fold.ts"
import towns from "./towns.csv" with { type: "text" }

/** Circles of 50 km around towns, as values of `near`. The script of the map shows their names. */
export const aroundTowns = towns
  .trim()
  .split("\n")
  .map((line) => line.split(","))
  .map(([label = "", ...place]) => ({ value: [...place, 50].join(), label }))

/** @param written by a person: the name of a town, or `latitude, longitude, km` */
export function circleFrom(written: string): string {
  const text = written.replace(/\s*(^|,|$)\s*/g, "$1")
  return aroundTowns.find(({ label }) => fold(label) === fold(text))?.value ?? text
}

/** @param value `latitude,longitude,km` */
export function circleInWords(value: string): string {
  const [latitude, longitude, km] = value.split(",")
  const town = aroundTowns.find((each) => each.value.startsWith(`${latitude},${longitude},`))
  return `within ${km} km of ${town?.label ?? `${latitude}, ${longitude}`}`
}

/** @param value `west,south,east,north` */
export function boxInWords(value: string): string {
  const [west, south, east, north] = value
    .split(",")
    .map((each) => Math.abs(Number(each)).toFixed(2))
  return `in ${west}–${east}° E, ${north}–${south}° S`
}
