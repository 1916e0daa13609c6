import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadCpuUsage } from 'node:process'
import { MAX_PARAMETERS } from '#api/http/query.ts'
import { ROUTES } from '#api/routes.ts'
import type { Route } from '#api/route/route.ts'
import { randomUUID } from 'node:crypto'
import { REPOSITORY, repositoryFiles } from '../../architecture/source-files.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { addAdministrator } from '../support/administrator.ts'
import { renewProof, type Person } from '../support/person.ts'
import { askRaw } from '../support/raw-request.ts'
import { useApi } from '../support/use-api.ts'

/** Milliseconds of the processor for which one request may hold the event loop. */
const MOST = 20
/** A request is dear when it is so each time: the first ones are compiled, and any may meet the collector of garbage. */
const TRIES = 4
/** What fits into the head of a request beside the rest of it, and into a body. */
const HEAD = 14_000
const BODY = 65_000

/** Words of every pattern of the API and of the rules: whatever a pattern looks for is what makes it walk. */
const WORDS = [
  ...new Set(
    repositoryFiles('.ts')
      .filter((path) => /^(api|domain)\//.test(path))
      .flatMap(
        (path) =>
          readFileSync(join(REPOSITORY, path), 'utf8').match(/\/(?:[^/\n\\]|\\.)+\/[gimsuy]*[.,;)\n]/g) ?? [],
      )
      .flatMap((pattern) => pattern.match(/[A-Za-z]{5,}/g) ?? []),
  ),
]
const SIGNS = ['a', ' ', ',', ';', '=', '.', '-', '%', '/', '0', 'é', '(', '&', 'a=']

/** Names of headers that the API reads, found in its sources, and those that its libraries read. */
const HEADERS = [
  ...new Set([
    ...repositoryFiles('.ts')
      .filter((path) => path.startsWith('api/'))
      .flatMap((path) => [
        ...readFileSync(join(REPOSITORY, path), 'utf8').matchAll(
          /(?:\b(?:ctx|http)\.get|headersNamed)\((?:ctx, )?'([\w-]+)'/g,
        ),
      ])
      .map(([, name]) => name!),
    ...ROUTES.flatMap(({ headers }) => Object.keys(headers?.shape ?? {})),
    'Accept',
    'Accept-Encoding',
    'Cookie',
    'If-None-Match',
    'Content-Type',
    'Host',
    'Access-Control-Request-Method',
  ]),
].filter((name) => !/^(Content-Length|Transfer-Encoding)$/i.test(name))

const fill = (word: string, length: number): string =>
  word.repeat(Math.ceil(length / word.length)).slice(0, length)

const queriesOf = (name: string): string[] => [
  `${name}=`,
  `${name}=${fill('x', HEAD)}`,
  `${name}=${fill('+', 2_000)}`,
  `${name}=${fill(',', 2_000)}`,
  `${name}=${fill('%5B', 2_000)}`,
  fill(`${name}&`, HEAD),
  fill(`${name}=1&`, HEAD),
  Array.from({ length: MAX_PARAMETERS }, () => `${name}=1`).join('&'),
]
const MANY_NAMES = Array.from({ length: 2_000 }, (_, n) => `a${n}`)
  .join('&')
  .slice(0, HEAD)

const seen = new Set<unknown>()
/** The fields of a route; in the short form those whose very schema no route before it has. */
const unseenIn = (shape: object): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    if (!IS_LONG && seen.has(schema)) return []
    seen.add(schema)
    return [name]
  })

/** All of some values, or a fifth of them in the short form. */
const turnOf = (turn: number, values: readonly string[]): readonly string[] =>
  IS_LONG ? values : values.filter((_, index) => (index + turn) % 5 === 0)

describe('no input of any route holds the event loop', function () {
  this.timeout(600_000)
  let person: Person
  const api = useApi()
  before(async () => {
    person = await addAdministrator(api)
    // The process compiles what every request runs.
    for (let n = 0; n < 200; n++) await askRaw(api.address, 'GET', '/api/v1/signals?limit=1', credential())
  })
  beforeEach(() => renewProof(api, person))

  const credential = () => ({ Authorization: `Bearer ${person.jwt}` })
  const pathOf = ({ address }: Route): string => address.replaceAll(/:\w+/g, randomUUID())

  /**
   * The least processor time of this thread, in milliseconds, that a request takes, the sending of it included. It is
   * the same on a machine that does much else, on which time by the clock says nothing.
   */
  async function costOf(ask: () => Promise<{ status: number }>): Promise<number> {
    let least = Infinity
    for (let n = 0; n < TRIES && least > MOST; n++) {
      const before = threadCpuUsage()
      // What is refused for its head is refused by Node, before anything of ours runs.
      await ask().catch(() => null)
      const { user, system } = threadCpuUsage(before)
      least = Math.min(least, (user + system) / 1_000)
    }
    return least
  }

  async function assertCheap(what: string, ask: () => Promise<{ status: number }>): Promise<void> {
    const cost = await costOf(ask)
    assert.ok(cost <= MOST, `${what} takes ${cost.toFixed(0)} ms of the processor`)
  }

  it('no input of any route holds the event loop and patterns and headers are found to try them with', () => {
    assert.ok(WORDS.length > 10, WORDS.join())
    assert.ok(HEADERS.length > 10, HEADERS.join())
  })

  for (const route of ROUTES.filter(({ address }) => address !== '/api/v1/events'))
    it(`no input of any route holds the event loop by query or path: ${route.name}`, async () => {
      const { method } = route
      const ask = (query: string, headers: Record<string, string>) =>
        assertCheap(query.slice(0, 40), () =>
          askRaw(api.address, method, `${pathOf(route)}?${query}`, headers),
        )
      // A query is taken apart before it is known who sends it.
      const queries = [...queriesOf('unheardOf'), fill('a&', HEAD), MANY_NAMES]
      for (const query of turnOf(route.name.length, queries))
        for (const headers of [{}, credential()]) await ask(query, headers)
      for (const name of unseenIn(route.query.shape))
        for (const query of queriesOf(name)) await ask(query, credential())
      if (!route.address.includes(':')) return
      for (const sign of ['x', '%20', '%2F', '.', '%41', '-']) {
        const path = route.address
          .replace(/:\w+/, fill(sign, HEAD - (HEAD % sign.length)))
          .replaceAll(/:\w+/g, 'x')
        await assertCheap(`a path of ${sign}`, () => askRaw(api.address, method, path, credential()))
      }
    })

  for (const route of ROUTES.filter(({ body }) => body))
    it(`no input of any route holds the event loop by body: ${route.name}`, async () => {
      const ask = (text: string) => () =>
        askRaw(
          api.address,
          route.method,
          pathOf(route),
          { ...credential(), 'Content-Type': 'application/json' },
          text,
        )
      const fields = Object.keys(route.body!.schema.shape)
      for (const field of [...unseenIn(route.body!.schema.shape), 'unheardOf'])
        for (const value of [
          '""',
          `"${fill('x', BODY)}"`,
          `"${fill(' ', BODY)}"`,
          `"${fill('9', BODY)}"`,
          fill('9', BODY),
          `[${fill('0,', BODY - 2)}0]`.replace(',0]', '0]'),
          `${fill('[', BODY / 2)}${fill(']', BODY / 2)}`,
          `{${Array.from({ length: 4_000 }, (_, n) => `"k${n}":1`).join()}}`,
        ])
          await assertCheap(
            `${field}: ${value.slice(0, 20)}`,
            ask(`{"${field}":${value.slice(0, BODY + 20)}}`),
          )
      await assertCheap(
        'one field, thousands of times',
        ask(`{${fill(`"${fields[0] ?? 'a'}":1,`, BODY)}"a":1}`),
      )
      const isSignal = route.name === 'POST /api/v1/signals'
      // All routes read the text of a body by the same code.
      if (!IS_LONG && !isSignal) return
      // What looks at the whole text sees it whatever field it stands in; so does a sound signal's source.
      const sound = isSignal
        ? '"symbol":"AAPL","action":"openLong","quantity":1,"executeMode":"pending","accountId":"' +
          randomUUID() +
          '",'
        : ''
      for (const word of [...SIGNS, ...turnOf(0, WORDS)])
        await assertCheap(
          `${word} and blanks`,
          ask(`{${sound}"metadata":{"a":"${fill(word, 16_000)}"${fill(' ', 46_000)}}}`),
        )
    })

  for (const name of HEADERS)
    it(`no input of any route holds the event loop by the header ${name}`, async () => {
      for (const route of ROUTES.filter(({ name }) =>
        [
          'GET /healthz',
          'GET /api/v1/signals',
          'POST /api/v1/signals',
          'POST /api/v1/auth/refresh',
          'GET /docs',
        ].includes(name),
      )) {
        const ask = (value: string | string[]) => () =>
          askRaw(
            api.address,
            route.method,
            pathOf(route),
            { ...(name !== 'Authorization' && credential()), [name]: value },
            route.method === 'POST' ? '{}' : undefined,
          )
        for (const sign of turnOf(route.name.length, SIGNS).filter((sign) => sign !== 'é')) {
          await assertCheap(`${route.name} ${name}: ${sign}`, ask(`x${fill(sign, HEAD)}x`))
        }
        await assertCheap(`${route.name} ${name}, thousands of times`, ask(Array<string>(1_000).fill('x')))
        await assertCheap(`${route.name} ${name}, empty`, ask(''))
      }
    })
})
