import fc from 'fast-check'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { boundsFault, DEEPEST, MOST_FIELDS, MOST_VALUES } from '#contract/values/json-bounds.ts'
import { HOOK_KINDS } from '#domain/hook/settings.ts'
import { ROUTES } from '#api/routes.ts'
import { addHook } from '../hook/support/hook.ts'
import { addAdministrator } from '../support/administrator.ts'
import { renewProof, type Person } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const fields = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":"a:b,c{[\\"${n}"`).join()}}`
const list = (count: number): string => `{"k":[${Array<string>(count).fill('1').join()}]}`
const levels = (count: number): string => `{"k":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`

const BEYOND: Readonly<Record<string, string>> = {
  too_many_fields: fields(MOST_FIELDS + 1),
  too_many_values: list(MOST_VALUES + 1),
  too_deep: levels(DEEPEST + 1),
}

describe('the bounds of a body', function () {
  this.timeout(120_000)
  let person: Person
  const api = useApi()
  before(async () => {
    person = await addAdministrator(api)
  })
  beforeEach(() => renewProof(api, person))

  it('the bounds of a body let pass what is exactly at them', () => {
    for (const text of [fields(MOST_FIELDS), list(MOST_VALUES - 1), levels(DEEPEST)])
      assert.equal(boundsFault(text), null, text.slice(0, 40))
  })

  it('the bounds of a body count the same after any parser, with anything in its strings', () => {
    const most = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : Math.max(
            Array.isArray(value) ? 0 : Object.keys(value).length,
            ...Object.values(value).map((inner) => most(inner)),
          )
    const wide = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), {
      minKeys: MOST_FIELDS - 5,
      maxKeys: MOST_FIELDS + 5,
      depthIdentifier: 'wide',
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue({ maxDepth: 4 }), wide), fc.nat(2), (value, indent) => {
        const fault = boundsFault(JSON.stringify(value, null, indent))
        assert.equal(fault?.code === 'too_many_fields', most(value) > MOST_FIELDS)
      }),
      { numRuns: 300 },
    )
  })

  for (const route of ROUTES.filter(({ body }) => body))
    it(`the bounds of a body are held before it is parsed: ${route.name}`, async () => {
      const hook = route.body?.isAnyText ? await addHook(api) : null
      const path = hook?.path ?? route.address.replaceAll(/:\w+/g, randomUUID())
      for (const [code, body] of Object.entries(BEYOND)) {
        const answer = await api.call(route.method, path, { token: hook ? undefined : person.jwt, body })
        assert.deepEqual(
          [answer.status, answer.body.details[0].code],
          [400, code],
          JSON.stringify(answer.body),
        )
      }
    })

  for (const kind of HOOK_KINDS)
    it(`the bounds of a body are held by a hook of kind ${kind}, which shows in its inbox why nothing came of it`, async () => {
      const template =
        kind === 'template' ? { template: { symbol: 'ticker', word: 'action', words: { buy: 'buy' } } } : {}
      const hook = await addHook(api, { kind, ...template })
      for (const message of [...Object.values(BEYOND), 'buy AAPL '.repeat(2_000)]) {
        assert.equal((await hook.send(message)).status, 400)
        const [newest] = await hook.requests()
        assert.equal(newest.outcome, 'refused', JSON.stringify(newest))
      }
      assert.deepEqual(await hook.signals(), [])
    })
})
