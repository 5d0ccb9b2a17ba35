import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace"

/** The samplers of OpenTelemetry's specification, by their names there. */
export const createSampler = (name: SamplerName, ratio: number): Sampler => samplers[name](ratio)

const always = () => new AlwaysOnSampler()
const never = () => new AlwaysOffSampler()
const byRatio = (ratio: number) => new TraceIdRatioBasedSampler(ratio)
/** As the caller decided, where it has a trace. */
const parentBased = (root: (ratio: number) => Sampler) => (ratio: number) =>
  new ParentBasedSampler({ root: root(ratio) })

const samplers = {
  always_on: always,
  always_off: never,
  traceidratio: byRatio,
  parentbased_always_on: parentBased(always),
  parentbased_always_off: parentBased(never),
  parentbased_traceidratio: parentBased(byRatio),
}

export type SamplerName = keyof typeof samplers
