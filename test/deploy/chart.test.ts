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
  'worker.versioning=true',
  'worker.next.tag=0.2.0',
  'worker.next.replicas=1',
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

  it('the Helm chart would not pass with a field that Kubernetes does not know', () => {
    const faulty = render().replace('restartPolicy: Never', 'restartpolicy: Never')
    assert.match(judge(faulty, OLDEST).stdout, /Job trader-migrate is invalid/)
  })

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
      'worker-next',
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
    const readers = {
      api: apiSettings,
      worker: workerSettings,
      'worker-next': workerSettings,
      venue: venueSettings,
    }
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

  it('migrates the schema before anything of a version starts', () => {
    const { metadata } = objects().find(({ kind }) => kind === 'Job')!
    assert.equal(metadata.annotations!['helm.sh/hook'], 'pre-install,pre-upgrade')
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

  it('tells the API its address and the proxies before it', () => {
    const { env } = workloads(EVERYTHING).find(({ component }) => component === 'api')!.container
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    assert.deepEqual(
      [values['PUBLIC_URL'], values['TRUSTED_PROXIES']],
      ['https://trader.example.com', '10.42.0.0/16'],
    )
  })

  it('the Helm chart has Prometheus know processes by the names of the rules, where PodMonitor objects are wanted', () => {
    const monitors = parseAllDocuments(render(['podMonitors=true']))
      .map(
        (document) =>
          document.toJS() as { kind: string; spec: { podMetricsEndpoints: { relabelings: object[] }[] } },
      )
      .filter(({ kind }) => kind === 'PodMonitor')
    assert.deepEqual(
      monitors.map(({ spec }) => spec.podMetricsEndpoints[0]!.relabelings),
      ['api', 'worker', 'worker'].map((name) => [
        { targetLabel: 'job', replacement: `durable-trader-${name}` },
      ]),
    )
  })

  describe('in a roll-out in steps', () => {
    const NEXT = ['worker.versioning=true', 'worker.next.tag=0.2.0', 'worker.next.replicas=3']
    const imagesOf = (settings: readonly string[]) =>
      Object.fromEntries(
        workloads(settings).map(({ component, container }) => [component, container.image.split('/').at(-1)]),
      )

    it('runs workers of the next version beside the others, after its migrations, and replaces nothing else', () => {
      const present = imagesOf(['worker.versioning=true'])
      assert.deepEqual(new Set(Object.values(present)), new Set([present['worker']]))
      const next = present['worker']!.replace(/:.*/, ':0.2.0')
      assert.deepEqual(imagesOf(NEXT), { ...present, migrate: next, 'worker-next': next })
      const digest = `sha256:${'0'.repeat(64)}`
      const byDigest = imagesOf([
        'worker.versioning=true',
        `worker.next.digest=${digest}`,
        'worker.next.replicas=1',
      ])
      assert.equal(byDigest['worker-next'], `durable-trader@${digest}`)
    })

    it('the Helm chart in a roll-out in steps has two sets of workers that differ in name, number and image alone, and select each their own pods', () => {
      const all = objects(NEXT)
      for (const kind of ['Deployment', 'PodDisruptionBudget']) {
        const [worker, next] = ['trader-worker', 'trader-worker-next'].map((name) =>
          all.find((object) => object.kind === kind && object.metadata.name === name)!,
        )
        assert.ok(worker && next, kind)
        const alike = JSON.stringify(next)
          .replaceAll('worker-next', 'worker')
          .replace('"replicas":3', '"replicas":2')
          .replace(':0.2.0"', `:${worker.metadata.labels['app.kubernetes.io/version']}"`)
        assert.deepEqual(JSON.parse(alike), worker)
        assert.notDeepEqual(next.spec.selector, worker.spec.selector)
      }
    })

    it('the Helm chart in a roll-out in steps has every process with a worker belong to a build, and none without it', () => {
      const versioned = (settings: readonly string[]) =>
        workloads(settings)
          .filter(({ container: { env } }) =>
            env.some(({ name, value }) => name === 'WORKER_VERSIONING' && value === 'deployment'),
          )
          .map(({ component }) => component)
          .toSorted()
      assert.deepEqual(versioned([]), [])
      assert.deepEqual(versioned(NEXT), ['worker', 'worker-next'])
      for (const where of ['api.settings', 'settings'])
        assert.deepEqual(versioned([...NEXT, `${where}.API_WORKER=on`]), ['api', 'worker', 'worker-next'])
    })

    it('lets the next workers reach and be reached as the others', () => {
      const policies = parseAllDocuments(render(NEXT))
        .map((document) => document.toJS() as { kind: string })
        .filter(({ kind }) => kind === 'NetworkPolicy')
      const lists = JSON.stringify(policies).match(/"values":\[[^\]]*"worker"[^\]]*\]/g)!
      assert.equal(lists.length, 3)
      for (const list of lists) assert.match(list, /"worker-next"/)
    })

    it('the Helm chart in a roll-out in steps is refused where the builds would hand tasks to each other, or the next one has no name', () => {
      assert.throws(
        () => render(['worker.next.tag=0.2.0', 'worker.next.replicas=1']),
        /worker\.next needs worker\.versioning/,
      )
      assert.throws(
        () => render(['worker.versioning=true', 'worker.next.replicas=1']),
        /worker\.next\.tag or worker\.next\.digest is needed/,
      )
    })
  })
})
