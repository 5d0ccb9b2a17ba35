/** Places in words, and suggestions of some. */
import { isAroundTenement } from "../../../../data/resources/around-tenement.ts"
import { fold } from "../../../../system/text/fold.ts"
import towns from "./towns.csv" with { type: "text" }

/** Circles of 50 km around towns, as values of `near`. The script of the map shows their names. */
export const aroundTowns = towns
  .trim()
  .split("\n")
  .map((line) => line.split(","))
  .map(([label = "", ...place]) => ({ value: [...place, 50].join(), label }))

/** @param written by a person, in one of the forms of `circleForms`; another text stays as it is */
export function circleFrom(written: string): string {
  const text = written.trim().replace(/(\d)\s*km$/i, "$1")
  if (/^[-\d.,\s]+$/.test(text)) return text.replace(/\s*,\s*|\s+/g, ",")
  const [, name = text, km = "50"] = /^(.*[^\s,])[\s,]+([\d.]+)$/.exec(text) ?? []
  const town = aroundTowns.find(({ label }) => fold(label) === fold(name))
  const around = `${name},${km}`
  return (
    town?.value.replace(/50$/, km) ?? (name !== text && isAroundTenement(around) ? around : written)
  )
}

export const circleForms =
  "Must be a town of the list, such as Kalgoorlie, a town and a distance, such as Kalgoorlie 20 km, the identifier of a tenement and a distance, such as WA-E47-1234 10 km, or latitude, longitude and km, such as -30.75, 121.47, 20"

/** @param value `latitude,longitude,km` or `ID,km` */
export function circleInWords(value: string): string {
  const [latitude, longitude, km] = value.split(",")
  if (isAroundTenement(value)) return `within ${longitude} km of ${latitude}`
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
