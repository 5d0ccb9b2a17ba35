/**
 * The vocabulary of this service for a tenement's status and type. Every register has its own phrases, whose
 * deciding words map to the vocabulary. A phrase without one stays unknown, and a load counts it as a
 * warning.
 *
 * A status is that of the register. A granted tenement past its expiry date stays granted: hundreds of them
 * await renewal.
 */

export const tenementStatuses = {
  granted: "In force, also where its day of expiry has passed and a renewal is awaited",
  pending: "Applied for and not yet decided",
  suspended: "Granted, with its rights suspended",
  expired: "Ended with its term",
  surrendered: "Given up by its holder",
  cancelled: "Ended by the authority",
  forfeited: "Lost by its holder for a breach of its conditions",
  refused: "Applied for and not granted",
  withdrawn: "Applied for, and the application taken back",
  lapsed: "Applied for, and the application came to nothing",
  converted: "Replaced by another tenement",
  ceased: "No longer in force, and the register does not state why",
} as const

export const tenementTypes = {
  exploration: "To look for minerals, coal or opal, on land or offshore",
  prospecting: "To look for minerals on a small area, with simple means",
  retention: "To hold a known deposit that can't be mined yet",
  assessment: "To assess a known deposit before it is mined",
  "mineral development": "To evaluate and develop a known deposit before it is mined",
  mining: "To mine: mining leases and licences, also those of earlier acts",
  "mineral claim": "To mine on a small claim",
  opal: "To look for or to mine opal and precious stones",
  extractive: "To take stone, gravel, sand or clay",
  fossicking: "To collect minerals by hand, for recreation or tourism",
  "general purpose": "Land for works of a mine, such as plant, tailings and stockpiles",
  miscellaneous: "Works outside a mine, such as roads, pipelines, power and water",
  reserve: "Land that the authority keeps for a purpose or a holder",
} as const

export type TenementStatus = keyof typeof tenementStatuses
export type TenementType = keyof typeof tenementTypes
