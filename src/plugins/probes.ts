/** Probes and scrapers request these all the time: their lines and traces would hide the others. */
const ofProbes = ["/health/live", "/health/ready", "/livez", "/readyz", "/metrics"]

export const isOfProbe = (path: string): boolean => ofProbes.includes(path)
