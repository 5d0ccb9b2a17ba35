/** Imported with the type `text`. */
declare module "leaflet/*" {
  const text: string
  export default text
}
