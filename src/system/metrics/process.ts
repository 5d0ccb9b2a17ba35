/** Metrics of the process, with the names of Prometheus' own libraries. */

import { counter, gauge, histogram, type MetricFamily } from "./families.ts"
import { createHistogram, secondBounds } from "./histogram.ts"

const everyMs = 100

/** Measures the delay of a timer, ten times a second: the event loop was blocked for that time. */
export function createProcessMetrics() {
  const delays = createHistogram(secondBounds)
  let expectedMs = performance.now() + everyMs
  const timer = setInterval(() => {
    const nowMs = performance.now()
    delays.observe(Math.max(0, nowMs - expectedMs) / 1_000)
    expectedMs = nowMs + everyMs
  }, everyMs)
  timer.unref()
  const startedAt = Date.now() / 1_000 - process.uptime()

  return {
    collect: (): MetricFamily[] => {
      const { rss, heapUsed } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      const cpuSeconds = (user + system) / 1_000_000
      return [
        histogram("mds_event_loop_delay_seconds", "Delay of timers, in seconds", delays.read()),
        gauge("process_resident_memory_bytes", "Resident memory, in bytes", rss),
        gauge("process_heap_bytes", "Memory of live JavaScript objects, in bytes", heapUsed),
        counter("process_cpu_seconds_total", "CPU time, in seconds", cpuSeconds),
        gauge("process_start_time_seconds", "When the process started, in Unix seconds", startedAt),
      ]
    },
    stop: () => clearInterval(timer),
  }
}
