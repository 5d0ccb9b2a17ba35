/** Imported with the type `text`. */
declare module "*.csv" {
  const text: string
  export default text
}
