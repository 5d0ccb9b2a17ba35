/** The database can't be reached, takes too long, or every place before it is taken: try again. */
export class Unavailable extends Error {
  override readonly name = "Unavailable"
}
