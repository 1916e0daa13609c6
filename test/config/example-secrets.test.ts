import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiSettings, readSettings, SettingsError, venueSettings, workerSettings } from '#config/env.ts'
import { REPOSITORY } from '../architecture/source-files.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

describe('secrets of an example', () => {
  it('secrets of an example are none: .env.example leaves each empty, and Compose starts nothing without', () => {
    const example = new Map(
      [...read('.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
    )
    const secrets = [...example.keys()].filter((name) => /PASSWORD|SECRET/.test(name))
    assert.equal(secrets.length, 8)
    for (const name of secrets) {
      assert.equal(example.get(name), '', name)
      const uses = [...read('docker-compose.yml').matchAll(new RegExp(String.raw`\$\{${name}([^}]*)\}`, 'g'))]
      assert.ok(uses.length > 0, name)
      for (const [use, rest] of uses) assert.match(rest!, /^:\?.*openssl rand -hex 24/, use)
    }
  })

  it('secrets of an example are refused where they were kept all the same, by name and with a way to make another one', () => {
    const refused = (read: () => unknown, name: string) =>
      assert.throws(read, (error) => {
        assert.ok(error instanceof SettingsError)
        assert.match(error.message, new RegExp(`^ {2}${name}: .*openssl rand -hex 24$`, 'm'))
        assert.doesNotMatch(error.message, /change-me/)
        return true
      })
    for (const value of ['change-me-setup-secret', 'CHANGE-ME-please-at-once', 'changeme-changeme'])
      refused(() => readSettings(apiSettings, { SETUP_SECRET: value }), 'SETUP_SECRET')
    for (const settings of [apiSettings, workerSettings])
      refused(
        () =>
          readSettings(settings, {
            DATABASE_URL: 'postgresql://durable_trader:change-me-database@postgres:5432/durable_trader',
          }),
        'DATABASE_URL',
      )
    refused(
      () => readSettings(apiSettings, { SMTP_URL: 'smtps://me:change-me@mail.example.com' }),
      'SMTP_URL',
    )
    refused(() => readSettings(venueSettings, { VENUE_SECRET_KEY: 'change-me-venue' }), 'VENUE_SECRET_KEY')
    refused(
      () => readSettings(venueSettings, { VENUE_CONTROL_SECRET: 'change-me-venue-control' }),
      'VENUE_CONTROL_SECRET',
    )
  })

  it('secrets of an example do not keep a service from starting whose secrets are its own', () => {
    const SETUP_SECRET = 'b7e0a3d1change-me'
    assert.equal(readSettings(apiSettings, { SETUP_SECRET }).SETUP_SECRET, SETUP_SECRET)
  })
})
