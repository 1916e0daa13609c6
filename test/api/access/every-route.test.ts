import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { policyOf } from '#test/api/support/access-policy.ts'
import type { RouteMiddleware } from '#api/http/context.ts'
import { createRouter, type ServedRoute, authorizedAnswers } from '#api/access/authorize.ts'
import { errorEnvelope } from '#api/guards/responses.ts'
import { requestId } from '#api/guards/rounds.ts'
import { fileMailbox } from '#api/mail/mail.ts'
import { anyone } from '#api/access/policy.ts'
import { listen } from '#api/http/server.ts'
import Koa from 'koa'
import pino from 'pino'
import { IS_LONG } from '#test/support/generators.ts'
import { addAdministrator } from '../support/administrator.ts'
import { addPerson, PASSWORD, type Person } from '../support/person.ts'
import { askRaw, speak } from '../support/raw-request.ts'
import { otherSpellings, slashSpellings } from '../support/spellings.ts'
import { useApi, useCounts } from '../support/use-api.ts'

const ID = randomUUID()
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
/** What an address that is no route's, or not by this method, answers; 400 for what is no address at all. */
const notThere = (target: string): number[] => (target.startsWith('/') ? [404, 405] : [400])

/** Runs an action on many values, some at a time. */
async function forEach<T>(values: Iterable<T>, act: (value: T) => Promise<void>): Promise<number> {
  const queue = [...values]
  const count = queue.length
  const work = async (): Promise<void> => {
    for (let value = queue.pop(); value !== undefined; value = queue.pop()) await act(value)
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return count
}

describe('every route there is', function () {
  this.timeout(300_000)
  let administrator: Person
  /** Credentials that are good for nothing, and none at all. */
  let useless: Record<string, string | string[]>[]
  // With a mailbox, so that every route there can be is there.
  const api = useApi({
    mailbox: fileMailbox('/nonexistent/mailbox.jsonl'),
    identity: { PUBLIC_URL: 'http://127.0.0.1:3000' },
  })
  before(async () => {
    administrator = await addAdministrator(api)
    const [head, claims] = administrator.jwt.split('.')
    useless = [
      {},
      { Authorization: `Bearer ${head}.${claims}.AAAA` },
      {
        Authorization: 'Basic YWRtaW46YWRtaW4=',
        'X-Forwarded-For': '127.0.0.1',
        'X-Forwarded-User': 'admin',
      },
    ]
  })

  const pathOf = (route: string): string => route.split(' ')[1]!
  const methodOf = (route: string): string => route.split(' ')[0]!
  const paths = (): string[] => [...new Set(api.routes.map(pathOf))]
  const filled = (path: string): string => path.replaceAll(/:\w+/g, ID)

  it('every route there is is asked here: those of the API, and those beside it', () => {
    assert.ok(api.routes.length > 90, `${api.routes.length} routes`)
    for (const own of ['/', '/docs', '/docs/:file', '/openapi.json', '/healthz', '/readyz', '/mailbox'])
      assert.ok(paths().includes(own), own)
  })

  it('answers 401 by each of its methods to a request without a good credential, where it needs one', async () => {
    const guarded = api.routes.filter((route) => !policyOf(route)!.mayBeAnonymous)
    const asked = guarded.flatMap((route) => useless.map((headers) => ({ route, headers })))
    await forEach(asked, async ({ route, headers }) => {
      const { status } = await askRaw(api.address, methodOf(route), filled(pathOf(route)), headers)
      assert.equal(status, 401, `${route} ${JSON.stringify(headers)}`)
      if (methodOf(route) !== 'GET') return
      const head = await askRaw(api.address, 'HEAD', filled(pathOf(route)), headers)
      assert.equal(head.status, 401, `HEAD of ${route}`)
    })
  })

  it('answers 405 to every other method, for any method that a header claims', async () => {
    const asked = paths().flatMap((path) => METHODS.map((method) => ({ path, method })))
    await forEach(asked, async ({ path, method }) => {
      const taken = api.routes.filter((route) => pathOf(route) === path).map(methodOf)
      if (taken.includes(method === 'HEAD' ? 'GET' : method)) return
      const headers = {
        Authorization: `Bearer ${administrator.jwt}`,
        'X-HTTP-Method-Override': taken[0]!,
        'X-Method-Override': taken[0]!,
        'X-HTTP-Method': taken[0]!,
        'X-Original-URL': '/api/v1/admin/users',
        'X-Rewrite-URL': '/api/v1/admin/users',
      }
      const { status, headers: received } = await askRaw(
        api.address,
        method,
        `${filled(path)}?_method=${taken[0]}`,
        headers,
      )
      assert.equal(status, 405, `${method} ${path}`)
      assert.ok(String(received['allow']).includes(taken[0]!), `${method} ${path}`)
    })
  })

  it('every route there is is not answered in another spelling to a request without a good credential', async () => {
    const asked = paths()
      .flatMap((path) => {
        const methods = new Set([
          'GET',
          ...api.routes.filter((route) => pathOf(route) === path).map(methodOf),
        ])
        return otherSpellings(path, ID).flatMap((spelling) =>
          [...methods].map((method) => ({ path, spelling, method })),
        )
      })
      .filter((_, place) => IS_LONG || place % 4 === 0)
    const count = await forEach(asked, async ({ path, spelling, method }) => {
      const headers = useless[(spelling.length + method.length) % useless.length]!
      const { status } = await askRaw(api.address, method, spelling, headers)
      // 401: the spelling stands in the place of another route's parameter, and that route is guarded.
      assert.ok([401, ...notThere(spelling)].includes(status), `${method} ${spelling} for ${path}: ${status}`)
    })
    assert.ok(count > (IS_LONG ? 8_000 : 2_000), `${count} requests`)
  })

  it('every route there is is guarded by the path alone where a target names a whole address', async () => {
    for (const origin of [api.address, 'http://evil.example', 'https://user:secret@evil.example:1']) {
      const users = await askRaw(api.address, 'GET', `${origin}/api/v1/admin/users`)
      assert.equal(users.status, 401, origin)
      const other = await askRaw(api.address, 'GET', `${origin}/API/v1/admin/users`)
      assert.equal(other.status, 404, origin)
      const health = await askRaw(api.address, 'GET', `${origin}/healthz`)
      assert.equal(health.status, 200, origin)
    }
  })

  it('every route there is is not reached by a target that is no address: 400, without a word about why', async () => {
    for (const target of [
      'http://[',
      'http://',
      'http:',
      '?',
      'api/v1/admin/users',
      'http://a:b:c/healthz',
    ]) {
      const heard = await speak(api.address, [`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: close'])
      assert.match(heard, /^HTTP\/1\.1 400 /, target)
    }
    const everything = await speak(api.address, ['OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close'])
    assert.match(everything, /^HTTP\/1\.1 404 /)
    assert.deepEqual(
      api.log.filter(({ level }) => Number(level) >= 50),
      [],
    )
  })
})

describe('limits by address', function () {
  this.timeout(120_000)
  const { limits } = useCounts()
  const api = useApi({ limits })

  it('hold in every spelling of sign-in: no password is tried beyond them', async () => {
    const { email } = await addPerson(api)
    const headers = { 'Content-Type': 'application/json' }
    const attempt = (target: string, password: string) =>
      askRaw(api.address, 'POST', target, headers, JSON.stringify({ email, password }))
    const path = '/api/v1/auth/login'
    for (const spelling of otherSpellings(path, ID))
      assert.ok(notThere(spelling).includes((await attempt(spelling, PASSWORD)).status), spelling)
    // One of the ten was the sign-in above.
    const spellings = [path, ...slashSpellings(path, ID)]
    for (let n = 0; n < 9; n++)
      assert.equal((await attempt(spellings[n % spellings.length]!, `wrong ${n}`)).status, 401)
    for (const spelling of spellings) assert.equal((await attempt(spelling, PASSWORD)).status, 429)
    assert.equal((await attempt(`http://other.example${path}`, PASSWORD)).status, 429)
    assert.equal((await attempt(`${path}?again=1`, PASSWORD)).status, 429)
  })
})

describe('the router', () => {
  const handler: RouteMiddleware = (ctx) => {
    ctx.body = { secret: 'data' }
  }
  const route = (name: string): ServedRoute => ({ name, access: anyone(null), handler })

  it('puts the guard first in each route’s own stack, and has no other layers', () => {
    const routes = [route('GET /api/v1/orders'), route('POST /api/v1/orders')]
    const guards: RouteMiddleware[] = []
    const { stack } = createRouter(routes, () => {
      const guard: RouteMiddleware = (_ctx, next) => next()
      guards.push(guard)
      return guard
    })
    assert.equal(stack.length, 2)
    for (const [index, layer] of stack.entries()) {
      assert.ok(layer.methods.length > 0)
      assert.deepEqual(layer.stack, [guards[index], handler])
    }
  })

  it('the router does not come about with a route that has no policy, nor with two of one name', () => {
    const authorize = () => handler
    assert.throws(
      () => createRouter([{ ...route('GET /api/v1/unheard-of'), access: undefined! }], authorize),
      /No policy says/,
    )
    const twice = [route('GET /healthz'), route('GET /healthz')]
    assert.throws(() => createRouter(twice, authorize), /declared twice/)
  })

  it('turns an answer that was never admitted into a 500 without its cookies', async () => {
    const log: string[] = []
    const koa = new Koa()
    koa.use(requestId as Koa.Middleware)
    koa.use(errorEnvelope(pino({}, { write: (line) => void log.push(line) })) as Koa.Middleware)
    koa.use(authorizedAnswers as Koa.Middleware)
    koa.use((ctx) => {
      ctx.set('X-Secret', 'data')
      ctx.cookies.set('session', 'data')
      if (ctx.path === '/admitted') ctx.state['isAuthorized'] = true
      if (ctx.path === '/stream') {
        ctx.respond = false
        ctx.res.write('data')
      } else ctx.body = { secret: 'data' }
    })
    const server = await listen(koa.callback(), '127.0.0.1', 0)
    for (const path of ['/api/v1/admin/users', '/API/v1/admin/users', '/elsewhere']) {
      const { status, headers, text } = await askRaw(server.address, 'GET', path)
      assert.equal(status, 500)
      assert.equal(JSON.parse(text).code, 'INTERNAL_ERROR')
      assert.doesNotMatch(text + JSON.stringify(headers), /data|admitted/)
      assert.ok(headers['x-request-id'])
    }
    assert.match(log.join(''), /was answered without having been authorized/)
    assert.equal((await askRaw(server.address, 'GET', '/admitted')).status, 200)
    await assert.rejects(askRaw(server.address, 'GET', '/stream'))
    await server.stop()
  })
})
