/** Checks the deployment files of the guide against the program. */
import { expect, test } from "bun:test"
import { version } from "../../../package.json"
import { type Setting, settings } from "../../../src/settings.ts"
import { samplesOf } from "./samples.ts"

/** The longest time for closing connections after SHUTDOWN_SECONDS. */
const closingSeconds = 4

interface ComposeService {
  image: string
  command?: string[]
  environment?: Record<string, unknown>
  secrets?: string[]
  volumes?: string[]
  depends_on?: Record<string, { condition: string }> | string[]
  healthcheck?: object
  deploy: { resources: { limits: object } }
  stop_grace_period?: string
}

type Labels = Record<string, string>

interface Container {
  args?: string[]
  env: { name: string; value: string }[]
  volumeMounts: { name: string; mountPath: string }[]
  securityContext: object
}

interface Port {
  name: string
  containerPort: number
}

interface Served extends Container {
  lifecycle: { preStop: { exec: { command: [program: string, seconds: string] } } }
  ports: [Port, Port]
  livenessProbe: Probe
  startupProbe: Probe
  readinessProbe: Probe
}

interface Probe {
  httpGet: { path: string; port: string }
}

interface Deployment {
  kind: string
  spec: {
    selector: { matchLabels: Labels }
    template: {
      metadata: { labels: Labels }
      spec: {
        terminationGracePeriodSeconds: number
        initContainers: [Container]
        containers: [Served]
        volumes: { name: string }[]
      }
    }
  }
}

interface Service {
  kind: string
  spec: { selector: Labels }
}

interface Budget {
  kind: string
  spec: { selector: { matchLabels: Labels } }
}

const samples = await samplesOf(["deploy-servers", "deploy-kubernetes"])
const [compose, manifests] = samples
  .filter(({ language }) => language === "yaml")
  .map(({ code }) => Bun.YAML.parse(code)) as [
  { services: Record<string, ComposeService>; secrets: object; volumes: object },
  [Deployment, Service, Budget],
]
const services = Object.entries(compose.services)
const own = services.filter(([, { image }]) => image === `mds:${version}-slim`)
const caddyfile = samples.find(({ language }) => language === "caddy")?.code ?? ""

/** Unknown settings, and values that the program rejects. */
function faultsIn(environment: Record<string, unknown>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (typeof value !== "string") return [`${name} is no string`]
    const declared: Record<string, Setting> = settings
    const ofFile = declared[name.replace(/_FILE$/, "")]
    if (name.endsWith("_FILE") && ofFile?.secret) return []
    const setting = declared[name]
    if (!setting) return [`${name} is no setting`]
    setting.parse(value)
    return []
  })
}

test("The compose file of the first hour has valid settings, and secrets that exist", async () => {
  const [sample] = (await samplesOf(["first-hour"])).filter(({ language }) => language === "yaml")
  const { services, secrets } = Bun.YAML.parse(sample?.code ?? "") as typeof compose
  expect(services.mds?.image).toBe(`mds:${version}-slim`)
  expect(faultsIn(services.mds?.environment ?? {})).toEqual([])
  expect(services.mds?.environment?.DATABASE_URL_FILE).toBe(
    `/run/secrets/${services.mds?.secrets?.[0]}`,
  )
  expect(Object.values(services).flatMap((service) => service.secrets)).toEqual(
    Object.keys(secrets),
  )
})

const seconds = (period = "10s"): number => Number(/^(\d+)s$/.exec(period)?.[1])

test("The settings of the compose file exist and are valid", () => {
  expect(own.map(([name]) => name)).toEqual(["mds-1", "mds-2", "migrate"])
  expect(own.flatMap(([, { environment = {} }]) => faultsIn(environment))).toEqual([])
})

test("The secrets, volumes and dependencies of each compose service exist", () => {
  const { secrets, volumes } = compose
  for (const [name, service] of services) {
    for (const secret of service.secrets ?? []) expect(secrets).toHaveProperty(secret)
    for (const volume of service.volumes ?? []) {
      const [from = ""] = volume.split(":")
      if (!from.startsWith(".")) expect(volumes).toHaveProperty(from)
    }
    const waitedFor = Array.isArray(service.depends_on)
      ? service.depends_on.map((other) => [other, { condition: "service_started" }] as const)
      : Object.entries(service.depends_on ?? {})
    for (const [other, { condition }] of waitedFor) {
      const found = compose.services[other]
      expect([name, other, found !== undefined]).toEqual([name, other, true])
      if (condition === "service_healthy") expect(found?.healthcheck).toBeDefined()
    }
    // Each path of a secret is mounted.
    for (const value of Object.values(service.environment ?? {})) {
      const [, secret] = /^\/run\/secrets\/(.+)$/.exec(String(value)) ?? []
      if (secret) expect(service.secrets).toContain(secret)
    }
    if (name !== "migrate") expect(service.deploy.resources.limits).toBeDefined()
  }
})

test("Grace periods are longer than the shutdown", () => {
  for (const [, { environment = {}, stop_grace_period }] of own) {
    const limit = Number(environment.SHUTDOWN_SECONDS ?? settings.SHUTDOWN_SECONDS.fallback)
    if (environment.SHUTDOWN_SECONDS === undefined) continue
    expect(seconds(stop_grace_period)).toBeGreaterThanOrEqual(limit + closingSeconds)
  }
  const [deployment] = manifests
  const { containers, terminationGracePeriodSeconds } = deployment.spec.template.spec
  const { SHUTDOWN_SECONDS } = environmentOf(containers[0])
  const [, preStopSeconds] = containers[0].lifecycle.preStop.exec.command
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
    Number(preStopSeconds) + Number(SHUTDOWN_SECONDS) + closingSeconds,
  )
  // Docker's default grace period is ten seconds.
  expect(Number(settings.SHUTDOWN_SECONDS.fallback) + closingSeconds).toBeLessThanOrEqual(10)
})

const environmentOf = (container: Container): Record<string, string> =>
  Object.fromEntries(container.env.map(({ name, value }) => [name, value]))

test("The Kubernetes manifests select the same pods", () => {
  const [deployment, service, budget] = manifests
  expect(manifests.map(({ kind }) => kind)).toEqual([
    "Deployment",
    "Service",
    "PodDisruptionBudget",
  ])
  const { labels } = deployment.spec.template.metadata
  expect(deployment.spec.selector.matchLabels).toEqual(labels)
  expect(service.spec.selector).toEqual(labels)
  expect(budget.spec.selector.matchLabels).toEqual(labels)
})

test("The Kubernetes containers have settings, probes and secrets that exist", () => {
  const pod = manifests[0].spec.template.spec
  for (const container of [...pod.initContainers, ...pod.containers]) {
    expect(faultsIn(environmentOf(container))).toEqual([])
    const mounts = container.volumeMounts.map(({ name }) => name)
    expect(pod.volumes.map(({ name }) => name)).toEqual(mounts)
    for (const value of Object.values(environmentOf(container))) {
      if (value.startsWith("/"))
        expect(value).toStartWith(`${container.volumeMounts[0]?.mountPath}/`)
    }
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    })
  }
  const [{ livenessProbe, startupProbe, readinessProbe, ports }] = pod.containers
  const [{ containerPort }, { name: port, containerPort: adminPort }] = ports
  expect([livenessProbe, startupProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: "/livez", port },
    { path: "/livez", port },
    { path: "/readyz", port },
  ])
  expect(String(containerPort)).toBe(settings.PORT.fallback)
  expect(String(adminPort)).toBe(environmentOf(pod.containers[0]).ADMIN_PORT ?? "")
})

test("The command of each container exists", async () => {
  const main = await Bun.file(new URL("../../../src/main.ts", import.meta.url)).text()
  const given = [
    ...own.map(([, { command }]) => command?.[0]),
    manifests[0].spec.template.spec.initContainers[0].args?.[0],
  ].filter((name) => name !== undefined)
  expect(given.length).toBeGreaterThan(1)
  for (const name of given) expect(main).toContain(`\n  ${name}: async () =>`)
})

test("The Caddyfile names the servers of the compose file", () => {
  const { fallback: port } = settings.PORT
  expect(caddyfile.match(/mds-\d:\d+/g)).toEqual([`mds-1:${port}`, `mds-2:${port}`])
})
