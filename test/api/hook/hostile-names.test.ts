import assert from 'node:assert/strict'
import { ROUTES } from '#api/routes.ts'
import { HOOK_KINDS, type HookKind } from '#domain/hook/settings.ts'
import { randomUUID } from 'node:crypto'
import { signalBody } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { HOSTILE_JSON } from '../support/hostile-values.ts'
import { addHook, type TestHook } from './support/hook.ts'

/** Texts as they stand in JSON that serve as names of fields; those of a few characters, which fit at every depth. */
const NAMES = HOSTILE_JSON.filter((value) => value.startsWith('"') && value.length < 100)
/** Fields around the one with the hostile name. */
const AROUND: readonly (readonly string[])[] = [
  [],
  ['metadata'],
  ['protection'],
  ['protection', 'stop'],
  ['extras', ...Array.from({ length: 15 }, () => 'a')],
]

const TEMPLATE = {
  symbol: 'ticker',
  word: 'action',
  words: { buy: 'buy', sell: 'sell' },
  quantity: 'quantity',
}

/** A message that every kind of sender may send, with a field of that name within others. */
function messageWith(name: string, around: readonly string[], n: number): string {
  const field = around.reduceRight((inner, outer) => `{${JSON.stringify(outer)}:${inner}}`, `{${name}:1}`)
  const sound = `"ticker":"AAPL","symbol":"AAPL","action":"buy","quantity":1,"timenow":"2026-03-02T15:00:00.${String(n).padStart(3, '0')}Z"`
  return `{${sound},${field.slice(1)}`
}

describe('a hostile name of a field', function () {
  this.timeout(180_000)
  const api = useApi()

  const hookOf = (kind: HookKind): Promise<TestHook> =>
    addHook(api, {
      kind,
      quantity: 1,
      requestsPerMinute: 600,
      ...(kind === 'template' && { template: TEMPLATE }),
    })

  for (const [place, kind] of HOOK_KINDS.entries())
    it(`a hostile name of a field at any depth of a message to a hook of kind ${kind} leaves no message without an outcome`, async () => {
      const hook = await hookOf(kind)
      // Each name at one depth, which is another one for the next kind.
      for (const [n, name] of NAMES.entries()) {
        const text = messageWith(name, AROUND[(n + place) % AROUND.length]!, n)
        const { status, body } = await hook.send(text)
        assert.ok(status === 200 || status === 400, `${status} ${text} ${JSON.stringify(body)}`)
        assert.ok(!JSON.stringify(body).includes('processed as soon as possible'), text)
      }
      await api.whenIdle()
      const open = 'select body from hook_requests where outcome is null'
      assert.deepEqual(await api.database.em.fork().execute(open), [])
    })

  it('a hostile name of a field in the body of any route is no error of the service, and neither is one within metadata', async () => {
    const { owner, accountIds } = await hookOf('json')
    const sound = JSON.stringify({ ...signalBody(accountIds[0]!), executeMode: 'pending' }).slice(0, -1)
    const strategy = JSON.stringify({ name: 'Names' }).slice(0, -1)
    for (const name of NAMES) {
      const metadata = `"metadata":{${name}:{${name}:[{${name}:1}]}}}`
      for (const [path, body] of [
        ['/signals', `${sound},${metadata}`],
        ['/strategies', `${strategy},${metadata}`],
        ['/signals', `${sound},${name}:1}`],
      ] as const) {
        const { status } = await owner.call('POST', path, body)
        assert.ok(status < 500 && status !== 429, `${status} ${path} ${body}`)
      }
    }
    const isOne = (name: string) => name.includes(' /api/v1') && !/auth\//.test(name)
    const bodies = ROUTES.filter(({ body, name }) => body !== undefined && isOne(name))
    assert.ok(bodies.length > 20)
    for (const [at, { name: route }] of bodies.entries()) {
      const [method, path] = route.split(' /api/v1') as [string, string]
      const body = `{${NAMES[at % 3]!}:{${NAMES[at % 3]!}:1}}`
      const { status } = await owner.call(method, path.replaceAll(/:\w+/g, randomUUID()), body)
      assert.ok(status < 500, `${status} ${route}`)
    }
  })
})
