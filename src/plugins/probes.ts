/** Probes and scrapers request these all the time: their lines and traces would hide the others. */
const ofProbes = ["/livez", "/readyz", "/metrics"]

export const isOfProbe = (path: string): boolean => ofProbes.includes(path)
