import assert from 'node:assert/strict'
import { ACCESS_POLICY } from '#test/api/support/access-policy.ts'
import { ADDRESS_BOUNDS } from '#api/access/address-limits.ts'
import { ATTEMPTS, TIERS, type Bound } from '#api/access/policy.ts'
import { entryBound, WORK_BOUNDS, type WorkBound } from '#api/http/work-bounds.ts'
import { apiSettings, readSettings } from '#config/env.ts'
import { read, repositoryFiles } from './source-files.ts'

/** Requirements of the OWASP ASVS 5.0 that ask for documentation: the section, and what it has to name. */
const DOCUMENTED: Record<string, { section: string; names: RegExp[] }> = {
  '6.1.1': { section: 'Limits', names: [/lock/, /known device/, /Retry-After/, /RATE_LIMITS/] },
  '6.1.2': { section: 'Ways in', names: [/words of this service/, /password-rules\.ts/] },
  '6.1.3': {
    section: 'Ways in',
    names: [/access JWT/, /`dt_` token/, /`dtk_` key/, /ticket/, /device auth/],
  },
  '6.3.4': {
    section: 'Ways in',
    names: [/Two credentials in one request are refused/, /Every route is listed/],
  },
  '7.1.1': { section: 'Sessions', names: [/30 days/, /no shorter idle time/, /because/] },
  '7.1.2': { section: 'Sessions', names: [/any number/, /ends any of them/] },
  '8.1.1': { section: 'Ways in', names: [/access\/policy\.ts/] },
  '8.1.2': { section: 'Between users', names: [/row-level security/, /schemas/, /presenters/] },
  '11.1.1': { section: 'Keys and algorithms', names: [/once a year/, /keys:rotate/, /retirement/] },
  '11.1.2': { section: 'Keys and algorithms', names: [/AES-256-GCM/, /argon2id/, /HKDF/, /HMAC-SHA-1/] },
  '13.1.1': {
    section: 'Connections',
    names: [/PostgreSQL/, /Temporal/, /brokers/, /mail/, /only addresses that users give/],
  },
  '14.1.1': { section: 'What is worth protecting', names: [/secret/, /private to their owner/, /internal/] },
  '14.1.2': { section: 'What is worth protecting', names: [/sealed/, /hashed/, /encrypted/, /90 days/] },
  '15.1.1': { section: 'Updates', names: [/within a week/, /within a month/] },
  '15.1.3': {
    section: 'Expensive requests',
    names: [/password/, /500 records/, /TOO_MANY_AT_ONCE/, /two seconds/],
  },
  '16.1.1': { section: 'Logs', names: [/audit log/, /who reads it/, /JSON/, /20 MB/] },
  '16.2.3': { section: 'Logs', names: [/api\.log/, /worker\.log/, /venue\.log/] },
}

/**
 * Sources that speak to other machines, and to whom; the page of connections names those. Commands of an operator and
 * the paper venue, which calls nobody, are left out.
 */
const SPEAKING: Record<string, string> = {
  'api/broker/commands.ts': 'the paper venue',
  'api/health/readiness.ts': 'the paper venue',
  'api/mail/mail.ts': 'mail server',
  'api/notify/outgoing.ts': 'webhooks',
  'api/temporal/calls.ts': 'Temporal',
  'brokers/alpaca/socket.ts': 'brokers',
  'brokers/http.ts': 'brokers',
  'tracing/export.ts': 'the collector of traces',
  'worker/worker.ts': 'Temporal',
}
const ROOMS = /^(api|worker|activities|db|brokers|config|workflows|domain|tracing)\//
/** PostgreSQL is reached by its own library, in db/ alone. */
const CALLS =
  /\bfetch\(|createTransport\(|new WebSocket\(|Connection\.(connect|lazy)\(|OTLPTraceExporter\(|from 'node:https'/

const sections = new Map(
  read('SECURITY.md')
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.split('\n')[0]!, text] as const),
)

/** As people write it: minutes below a day, days from there on. */
const inWords = ({ seconds }: Bound): string =>
  seconds < 86_400 ? `${seconds / 60} min` : seconds === 86_400 ? '1 day' : `${seconds / 86_400} days`

describe('SECURITY.md', () => {
  for (const [requirement, { section, names }] of Object.entries(DOCUMENTED)) {
    it(`documents the ASVS requirement ${requirement} under "${section}"`, () => {
      const text = sections.get(section)
      assert.ok(text, `the section "${section}" exists`)
      for (const name of names) assert.match(text, name)
    })
  }

  it('states the limits of requests and of failed attempts with the figures that the code applies', () => {
    const [requests, attempts] = sections.get('Limits')!.split('failed attempts on one account')
    const endOf = (bound: Bound): string => `\\| ${bound.limit} \\| ${inWords(bound)} \\|`
    for (const [name, tier] of Object.entries({ ...TIERS, ...ADDRESS_BOUNDS }))
      assert.match(requests!, new RegExp(`\\(\`${name}\`\\).*${endOf(tier)}$`, 'm'), name)
    for (const [name, bounds] of Object.entries(ATTEMPTS)) {
      const rows = attempts!.split('\n')
      const first = rows.findIndex((row) => row.includes(`(\`${name}\`)`))
      for (const [n, bound] of bounds.entries())
        assert.match(rows[first + n]!, new RegExp(`${endOf(bound)}$`), `${name}, bound ${n}`)
    }
  })

  it('states the bounds of work with the figures that the code applies', () => {
    const entries = entryBound(readSettings(apiSettings, {}).SIGNAL_CONCURRENCY)
    for (const [name, bound] of Object.entries<WorkBound>({ ...WORK_BOUNDS, entries })) {
      const figures = `\\| ${bound.atOnce} \\| ${bound.waiting} \\|${bound.inAll ? ` ${bound.inAll}` : ''} \\|`
      assert.match(
        sections.get('Expensive requests')!,
        new RegExp(`\\(\`${name}\`[^)]*\\) ${figures}$`, 'm'),
        name,
      )
    }
  })

  it('names every word of the service that counts as known to who guesses passwords', () => {
    const [, list] = /const OWN_WORDS = \[(.*?)\]/s.exec(read('contract/identity/password-rules.ts'))!
    const words = [...list!.matchAll(/'([^']+)'/g)].map(([, word]) => word!)
    assert.ok(words.length > 4)
    for (const word of words) assert.ok(sections.get('Ways in')!.includes(`*${word}*`), word)
  })

  it('names whom the service speaks to, which no other source does', () => {
    const speaking = repositoryFiles('.ts').filter((path) => ROOMS.test(path) && CALLS.test(read(path)))
    assert.deepEqual(speaking, Object.keys(SPEAKING).toSorted())
    const text = sections.get('Connections')!
    for (const whom of [
      'the paper venue',
      'mail server',
      'push services',
      'webhooks',
      'the collector of traces',
      'Temporal',
      'brokers',
      'PostgreSQL',
    ])
      assert.ok(text.includes(whom), whom)
    const usesPostgres = repositoryFiles('.ts').filter(
      (path) => ROOMS.test(path) && /from '(pg|@mikro-orm\/postgresql)'/.test(read(path)),
    )
    assert.deepEqual(
      usesPostgres.filter((path) => !path.startsWith('db/')),
      [],
    )
  })

  it('names a test for every kind of action that asks for a fresh proof', () => {
    const text = sections.get('Fresh proof')!
    const inWordsOf: [route: RegExp, words: RegExp][] = [
      [/\/admin\//, /administrators/],
      [/DELETE .*\/halt/, /lift a halt/],
      [/\/tokens$/, /make a token/],
      [/\/hooks/, /make a hook, its next address/],
      [/\/approve$/, /confirm a device/],
      [/\/mfa\/setup$/, /set a second factor up/],
    ]
    const asking = Object.entries(ACCESS_POLICY).filter(([, { fresh, admin }]) => fresh || admin)
    for (const [route] of asking) {
      const [, words] = inWordsOf.find(([pattern]) => pattern.test(route)) ?? []
      assert.ok(words, `${route} asks for a fresh proof and is not described`)
      assert.match(text, words)
    }
  })
})
