/** The number of the account that work is done for; null for the service itself. */
export type AccountId = number | null
