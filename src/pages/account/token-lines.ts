/** Lines with which a new token can be tried at once. */

const tried = "/api/v1/companies"

export const curlLine = (publicUrl: string, token: string): string =>
  `curl -H 'Authorization: Bearer ${token}' '${publicUrl}${tried}?per_page=5'`

export const sheetsFormula = (publicUrl: string, token: string): string =>
  `=IMPORTDATA("${publicUrl}${tried}?format=csv&per_page=5&api_key=${token}")`
