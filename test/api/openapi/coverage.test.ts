import assert from 'node:assert/strict'
import { ROUTES } from '#api/routes.ts'
import { ACCESS_POLICY } from '#test/api/support/access-policy.ts'
import { PAGES } from '../../support/documented-api.ts'
import { useApi } from '../support/use-api.ts'

const DESCRIBED: readonly string[] = ROUTES.filter(({ tag }) => tag !== null).map(({ name }) => name)

describe('the description of the API and the application', () => {
  const api = useApi()

  it('the description of the API and the application have the same routes', () => {
    const routes = [...new Set(api.routes)].filter((route) => !PAGES.test(route.split(' ')[1]!))
    assert.deepEqual(
      routes.filter((route) => !DESCRIBED.includes(route)),
      [],
      'a route that is no page has a chapter of the reference',
    )
    assert.deepEqual(
      DESCRIBED.filter((route) => !routes.includes(route)),
      [],
      'described, but not there',
    )
    assert.deepEqual(
      Object.keys(ACCESS_POLICY).filter(
        (route) => !DESCRIBED.includes(route) && !PAGES.test(route.split(' ')[1]!),
      ),
      [],
    )
  })

  it('needs no credential at /openapi.json', async () => {
    const { status, body, headers } = await api.call('GET', '/openapi.json')
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^application\/json/)
    assert.equal(body.openapi, '3.1.1')
    assert.ok(Object.keys(body.paths).length > 30)
  })
})
