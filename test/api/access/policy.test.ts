import { hasReserve } from '#api/access/policy.ts'
import { ACCESS_POLICY, policyOf } from '#test/api/support/access-policy.ts'
import { fileMailbox } from '#api/mail/mail.ts'
import assert from 'node:assert/strict'
import { useApi } from '../support/use-api.ts'

describe('the access policy', () => {
  let routes: string[]
  // With a mailbox, so that every route there can be is there.
  const api = useApi({
    mailbox: fileMailbox('/nonexistent/mailbox.jsonl'),
    identity: { PUBLIC_URL: 'http://127.0.0.1:3000' },
  })
  before(async () => {
    routes = api.routes
  })

  it('decides on every route that there is', () => {
    assert.ok(routes.length > 30)
    assert.deepEqual(
      routes.filter((route) => policyOf(route) === null),
      [],
      'a new route needs its place in ROUTES',
    )
  })

  it('decides on no route that there is not', () => {
    assert.deepEqual(
      Object.keys(ACCESS_POLICY).filter((route) => !routes.includes(route)),
      [],
    )
  })

  it('admits no request to a route without a rule', () => {
    assert.equal(policyOf('GET /api/v1/unheard-of'), null)
    assert.equal(policyOf('constructor'), null)
  })

  it('takes keys in the query on the webhook route alone', () => {
    const taking = Object.entries(ACCESS_POLICY).filter(([, { keyInQuery }]) => keyInQuery)
    assert.deepEqual(
      taking.map(([route]) => route),
      ['POST /api/v1/signals'],
    )
  })

  it('leaves to tokens nothing that gives authority away', () => {
    const inPerson = /\/v1\/(auth|tokens|sessions|me|audit-log|admin)\b|\/process$|\/reject$/
    for (const [route, { credentials }] of Object.entries(ACCESS_POLICY).filter(([name]) =>
      inPerson.test(name),
    ))
      assert.ok(
        credentials.every((kind) => kind === 'jwt'),
        route,
      )
  })

  it('keeps the reserve for what moves or stops money, and for placing it by a person, of all routes that change something', () => {
    const kinds = {
      // Everything that acts on a signal, an order or a position that is there, every halt, and the proof that resuming needs.
      everybody: /^(.*\bhalt\b|(signals|signal-groups|orders|positions)\/.|auth\/verify$)/,
      people: /^(signals|orders|hooks\/:hookId\/requests\/:requestId\/again)$/,
    }
    for (const [route, { reserve, tier, work }] of Object.entries(ACCESS_POLICY)) {
      const [method, path] = route.split(' /api/v1/')
      const isOf = (kind: keyof typeof kinds) => method !== 'GET' && kinds[kind].test(path ?? '')
      assert.equal(reserve, isOf('people') ? 'people' : isOf('everybody') ? 'everybody' : null, route)
      if (work === 'trading' || work === 'stopping') assert.ok(reserve, route)
      if (reserve) assert.equal(tier, 'default', route)
    }
  })

  it('gives what halts, cancels, closes or declines connections that nothing else takes, and nothing else those', () => {
    const stops =
      /^PUT .*\/halt\b|^DELETE \/api\/v1\/(signals|signal-groups|orders)\/:\w+$|^POST .*\/(reject|cancel-all|flatten|close)$/
    for (const [route, { work }] of Object.entries(ACCESS_POLICY))
      assert.equal(work === 'stopping', stops.test(route), route)
  })

  it('the reserve of placing is for people alone', () => {
    const has = (route: string) => [true, false].map((isPerson) => hasReserve(policyOf(route)!, isPerson))
    assert.deepEqual(has('POST /api/v1/signals'), [true, false])
    assert.deepEqual(has('POST /api/v1/orders'), [true, false])
    assert.deepEqual(has('DELETE /api/v1/orders/:orderId'), [true, true])
    assert.deepEqual(has('GET /api/v1/orders'), [false, false])
  })

  it('lets nothing be changed, stopped or given away by a GET', () => {
    for (const [route, { scope, fresh, admin, work }] of Object.entries(ACCESS_POLICY)) {
      if (!route.startsWith('GET ')) continue
      assert.ok(scope === null || scope.endsWith(':read'), route)
      // Administrators prove themselves freshly to look as well.
      assert.ok((!fresh || admin) && work !== 'trading' && work !== 'stopping', route)
    }
  })
})
