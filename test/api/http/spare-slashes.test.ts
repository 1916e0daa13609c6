import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ROUTES } from '#api/routes.ts'
import { spareSlashes } from '#api/guards/request-head.ts'
import { askRaw } from '../support/raw-request.ts'
import { slashSpellings } from '../support/spellings.ts'
import { useApi } from '../support/use-api.ts'

const tidy = spareSlashes(ROUTES.map(({ name }) => name))

describe('an address with a slash too much', () => {
  const api = useApi()

  for (const [method, written, meant] of [
    ['POST', '/api/v1/signals/', '/api/v1/signals'],
    ['POST', '//api/v1/signals', '/api/v1/signals'],
    ['POST', '/api/v1//signals', '/api/v1/signals'],
    ['POST', '/api//v1///signals/', '/api/v1/signals'],
    ['GET', '/api/v1/dashboard/summary/', '/api/v1/dashboard/summary'],
    ['DELETE', '/api/v1/signals/1/', '/api/v1/signals/1'],
    ['GET', '//healthz/', '/healthz'],
    ['GET', '/', '/'],
    ['GET', '//', '/'],
    ['OPTIONS', '*', '*'],
  ] as const)
    it(`an address with a slash too much is that without it: ${method} ${written}`, () =>
      assert.equal(tidy(method, written), meant))

  for (const [method, written] of [
    ['DELETE', '/api/v1/signals/'],
    ['GET', '/api/v1/orders/'],
    ['HEAD', '/api/v1/orders/'],
    ['PUT', '/api/v1/settings/halt/'],
    ['POST', '/api/v1/accounts/sync/'],
    ['POST', '/api/v1/positions/1//close'],
    ['POST', '/api/v1/signals//'],
    ['GET', '/api/v1/signals%2F'],
  ] as const)
    it(`stays another address where an id may be missing, or where it is none: ${method} ${written}`, () => {
      assert.equal(
        ROUTES.some(({ name }) => name === `${method} ${tidy(method, written)}`),
        false,
      )
    })

  it('an address with a slash too much is guarded and answered as every route without it, and not there where an id may be missing', async () => {
    const ID = randomUUID()
    for (const route of api.routes) {
      const [method, path] = route.split(' ') as [string, string]
      // Reading is asked for by every browser; the pages beside the API have tests of their own.
      if (method === 'GET') continue
      const { status } = await askRaw(api.address, method, path.replaceAll(/:[^/]+/g, ID))
      const mayLackId = api.routes.some((other) => new RegExp(`^${method} ${path}/:[^/]+$`).test(other))
      for (const spelling of slashSpellings(path, ID)) {
        const spelled = await askRaw(api.address, method, spelling)
        if (mayLackId && spelling.endsWith('/'))
          assert.ok([404, 405].includes(spelled.status), `${method} ${spelling}`)
        else assert.equal(spelled.status, status, `${method} ${spelling}`)
      }
    }
  })
})
