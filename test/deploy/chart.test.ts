import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { apiSettings, readSettings, venueSettings, workerSettings } from '#config/env.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { HELM, KUBECONFORM } from '#test/support/go-program.ts'
import { goProgramPath } from '#test/support/servers.ts'
import { KUBERNETES_VERSIONS, kubernetesSchemas } from './kubernetes-schemas.ts'

const CHART = join(REPOSITORY, 'deploy/chart')
const [OLDEST] = KUBERNETES_VERSIONS
const INGRESS = [
  'ingress.enabled=true',
  'ingress.className=nginx',
  'ingress.host=trader.example.com',
  'ingress.tlsSecret=trader-tls',
  'api.publicUrl=https://trader.example.com',
  'api.trustedProxies=10.42.0.0/16',
]
/** Everything that is off unless asked for. */
const EVERYTHING = [
  ...INGRESS,
  'secrets.smtp=mail',
  'secrets.temporal=temporal-cloud',
  'image.pullSecrets={registry}',
  'venue.storageClass=fast',
  'settings.LOG_LEVEL=warn',
  'worker.settings.BROKER_POLL_INTERVAL=30s',
]

type Container = {
  image: string
  command: string[]
  env: { name: string; value?: string; valueFrom?: object }[]
  securityContext: object
  resources: { requests: object; limits: object }
  livenessProbe?: { httpGet: { path: string } }
  readinessProbe?: { httpGet: { path: string } }
}
type Pod = { automountServiceAccountToken: boolean; securityContext: object; containers: Container[] }
type KubernetesObject = {
  kind: string
  metadata: { name: string; annotations?: Record<string, string>; labels: Record<string, string> }
  spec: { selector?: object; template?: { spec: Pod; metadata: { labels: Record<string, string> } } }
}

describe('the Helm chart', function () {
  // Both programs may have to be built first.
  this.timeout(30 * 60_000)
  let helm: string
  let kubeconform: string
  let schemas: string
  before(async () => {
    helm = await goProgramPath(HELM)
    kubeconform = await goProgramPath(KUBECONFORM)
    schemas = await kubernetesSchemas()
  })

  const render = (settings: readonly string[] = [], kubernetes: string = OLDEST): string =>
    execFileSync(
      helm,
      [
        'template',
        'trader',
        CHART,
        '--kube-version',
        kubernetes,
        ...settings.flatMap((each) => ['--set', each]),
      ],
      { encoding: 'utf8', stdio: 'pipe' },
    )
  const objects = (settings?: readonly string[]) =>
    parseAllDocuments(render(settings)).map((document) => document.toJS() as KubernetesObject)
  /** Every container with its pod, by the component that it runs. */
  const workloads = (settings?: readonly string[]) =>
    objects(settings).flatMap(({ kind, metadata, spec }) =>
      (spec.template?.spec.containers ?? []).map((container) => ({
        kind,
        component: metadata.labels['app.kubernetes.io/component']!,
        pod: spec.template!.spec,
        container,
      })),
    )
  const judge = (manifests: string, kubernetes: string) =>
    spawnSync(
      kubeconform,
      [
        '-strict',
        '-summary',
        '-kubernetes-version',
        kubernetes,
        '-schema-location',
        `${schemas}/${kubernetes}/{{.ResourceKind}}{{.KindSuffix}}.json`,
      ],
      { input: manifests, encoding: 'utf8' },
    )

  for (const kubernetes of KUBERNETES_VERSIONS) {
    it(`passes helm lint for Kubernetes ${kubernetes}`, () => {
      execFileSync(helm, ['lint', '--strict', '--kube-version', kubernetes, CHART], { encoding: 'utf8' })
    })

    it(`makes objects that fit the schemas of Kubernetes ${kubernetes}, with and without what is optional`, () => {
      for (const settings of [[], EVERYTHING]) {
        const { status, stdout } = judge(render(settings, kubernetes), kubernetes)
        assert.equal(status, 0, stdout)
        assert.match(stdout, /Valid: [12]\d, Invalid: 0, Errors: 0, Skipped: 0/)
      }
    })
  }

  it('the Helm chart is of the version of the service', () => {
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      version: string
    }
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, string>
    assert.deepEqual([chart['version'], chart['appVersion']], [version, version])
  })

  it('runs each process as an ordinary user on a read-only file system, without rights and with limits', () => {
    const found = workloads(EVERYTHING)
    assert.deepEqual(found.map(({ component }) => component).toSorted(), [
      'api',
      'migrate',
      'venue',
      'worker',
    ])
    for (const { component, pod, container } of found) {
      assert.equal(pod.automountServiceAccountToken, false, component)
      const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext as Record<string, unknown>
      assert.deepEqual([runAsNonRoot, runAsUser, seccompProfile], [true, 1_000, { type: 'RuntimeDefault' }])
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.deepEqual(Object.keys(container.resources.limits), ['cpu', 'memory'], component)
      assert.deepEqual(Object.keys(container.resources.requests), ['cpu', 'memory'], component)
    }
  })

  it('gives each process settings that it reads and accepts, and takes every secret from an existing Secret', () => {
    const readers = { api: apiSettings, worker: workerSettings, venue: venueSettings }
    for (const { component, container } of workloads(EVERYTHING)) {
      for (const { name, value } of container.env)
        if (/PASSWORD|SECRET|DATABASE_URL|SMTP_URL|API_KEY$|KEY_ID$/.test(name))
          assert.equal(value, undefined, name)
      const schema = readers[component as keyof typeof readers]
      if (schema === undefined) continue
      const plain = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))
      // The worker is told where the venue is as the API is, and needs no such setting itself.
      for (const { name } of container.env)
        if (name !== 'VENUE_URL') assert.ok(name in schema.shape, `${component} does not read ${name}`)
      readSettings<typeof schema>(schema, Object.fromEntries(plain))
    }
  })

  it('takes signals while Temporal is away, and counts a worker only when it takes tasks', () => {
    const probes = workloads().map(({ component, container }) => [
      component,
      [container.livenessProbe?.httpGet.path, container.readinessProbe?.httpGet.path],
    ])
    assert.deepEqual(Object.fromEntries(probes), {
      api: ['/healthz', '/healthz'],
      migrate: [undefined, undefined],
      venue: ['/venue/health', '/venue/health'],
      worker: ['/healthz', '/readyz'],
    })
  })

  it('the Helm chart is refused with an ingress that lacks TLS, its address in letters and cookies, or the proxies before the API', () => {
    const without =
      (left: string, ...instead: string[]) =>
      () =>
        render([...INGRESS.filter((each) => !each.startsWith(left)), ...instead])
    assert.throws(without('ingress.tlsSecret'), /tlsSecret is needed/)
    assert.throws(without('ingress.host'), /ingress\.host is needed/)
    assert.throws(without('api.trustedProxies'), /api\.trustedProxies is needed with ingress\.enabled/)
    const wrong = /api\.publicUrl has to be https:\/\/trader\.example\.com with this ingress/
    assert.throws(without('api.publicUrl'), wrong)
    for (const other of ['http://trader.example.com', 'https://elsewhere.example.com'])
      assert.throws(without('api.publicUrl', `api.publicUrl=${other}`), wrong)
    assert.doesNotThrow(without('api.publicUrl', 'api.publicUrl=https://trader.example.com/'))
  })
})
