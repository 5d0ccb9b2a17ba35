/** Why a load published nothing, in a sentence for the person who started it. */
export class LoadRefused extends Error {
  override name = "LoadRefused"
}
