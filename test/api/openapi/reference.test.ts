import assert from 'node:assert/strict'
import { askRaw } from '../support/raw-request.ts'
import { useApi } from '../support/use-api.ts'

describe('the reference at /docs', () => {
  const api = useApi()

  const get = (path: string) => fetch(api.address + path)

  it('loads files of this server alone, and runs no inline script', async () => {
    const response = await get('/docs')
    const page = await response.text()
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    const policy = response.headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
    assert.doesNotMatch(page, /<script>|<style>| style=| on\w+=|https?:/)
    const loaded = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/[^"]+)"/g)].map(
      ([, path]) => path!,
    )
    assert.equal(loaded.length, 4)
    for (const path of loaded) {
      const file = await get(path)
      assert.equal(file.status, 200, path)
      const kind = path.includes('.css?') ? /^text\/css/ : /javascript/
      assert.match(file.headers.get('content-type')!, kind, path)
      assert.ok((await file.text()).length > 500, path)
      assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable', path)
    }
  })

  it('the reference at /docs is sent again only when it has changed, and kept for good only under the name of its version', async () => {
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js?v=another']) {
      const first = await get(path)
      assert.equal(first.headers.get('cache-control'), 'public, no-cache', path)
      assert.ok((await first.text()).length > 0)
      const etag = first.headers.get('etag')!
      // fetch would ask for a fresh copy all the same.
      const again = await askRaw(api.address, 'GET', path, { 'If-None-Match': etag })
      assert.deepEqual([again.status, again.text], [304, ''], path)
      const other = await askRaw(api.address, 'GET', path, { 'If-None-Match': '"another"' })
      assert.equal(other.status, 200, path)
    }
  })

  it('the reference at /docs has no other file', async () => {
    assert.equal((await get('/docs/absolute-path.js')).status, 404)
    assert.equal((await get('/docs/..%2fdocument.ts')).status, 404)
  })
})
