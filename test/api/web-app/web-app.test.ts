import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { useApi, useCounts } from '../support/use-api.ts'

const SCRIPT = 'console.log("the app")'
const PAGE = '<!doctype html><script type="module" src="/assets/index-Ab12.js"></script>'
/** As a browser sends it for the address that a person opens. */
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** A build as Vite leaves it, small. */
function writeBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-web-'))
  const files = {
    'index.html': PAGE,
    'service-worker.js': '// the service worker',
    'service-worker.js.br': brotliCompressSync('// the service worker'),
    'manifest.webmanifest': '{"name":"Durable Trader"}',
    'icon-192.png': 'a picture',
    'assets/index-Ab12.js': SCRIPT,
    'assets/index-Ab12.js.br': brotliCompressSync(SCRIPT),
    'assets/index-Ab12.js.gz': gzipSync(SCRIPT),
    'assets/index-Ab12.js.map': '{}',
    'assets/plain-Cd34.css': 'body{}',
    '.sources': 'abc',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

describe('the web app', function () {
  this.timeout(60_000)
  const folder = writeBuild()
  const { limits } = useCounts()
  const api = useApi({
    webFolder: folder,
    limits,
  })
  after(() => rmSync(folder, { recursive: true }))

  /** The answer byte for byte: fetch would unpack it. */
  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(api.address + path, { method, headers }, resolve)
        .once('error', reject)
        .end()
    })
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }
  }

  it('the web app is shown at every address that a browser opens and that is not the API’s', async () => {
    const own = [
      '/',
      '/approvals',
      '/symbols/BRK.B',
      '/confirm?token=x',
      '/reset-password',
      '/device',
      '/x/y/z',
    ]
    for (const path of own) {
      const { status, headers, body } = await ask(path, BROWSER)
      assert.equal(status, 200, path)
      assert.equal(body.toString(), PAGE, path)
      assert.match(headers['content-type']!, /^text\/html/)
    }
    const head = await ask('/approvals', BROWSER, 'HEAD')
    assert.deepEqual([head.status, head.body.length], [200, 0])
  })

  it('the web app never obstructs the API and its pages', async () => {
    for (const path of [
      '/api/v1/nowhere',
      '/api',
      '/docs/nothing',
      '/events/x',
      '/mailbox',
      '/assets/old-Zz99.js',
    ]) {
      const { status, headers } = await ask(path, BROWSER)
      assert.equal(status, 404, path)
      assert.match(headers['content-type']!, /^application\/json/, path)
    }
    for (const path of ['/docs', '/openapi.json', '/healthz'])
      assert.notEqual((await ask(path, BROWSER)).body.toString(), PAGE, path)
    assert.equal((await ask('/approvals', BROWSER, 'POST')).status, 404)
    assert.equal((await ask('/', BROWSER, 'POST')).status, 405)
  })

  it('leaves addresses that a program asks for as they were', async () => {
    const { body, headers } = await ask('/', { Accept: '*/*' })
    assert.equal(JSON.parse(body.toString()).name, 'durable-trader')
    assert.match(headers.vary!, /Accept/)
    assert.equal((await ask('/approvals', { Accept: 'application/json' })).status, 404)
    assert.equal((await ask('/approvals')).status, 404)
  })

  it('the web app may run nothing but its own files, and makes no text a script', async () => {
    for (const path of ['/', '/service-worker.js', '/assets/index-Ab12.js']) {
      const { headers } = await ask(path, BROWSER)
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types sw",
      )
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  it('the web app is compressed before, in the smallest form that the browser takes', async () => {
    const br = await ask('/assets/index-Ab12.js', { 'Accept-Encoding': 'gzip, deflate, br, zstd' })
    assert.deepEqual([br.headers['content-encoding'], br.body], ['br', brotliCompressSync(SCRIPT)])
    const gzip = await ask('/assets/index-Ab12.js', { 'Accept-Encoding': 'gzip' })
    assert.deepEqual([gzip.headers['content-encoding'], gzip.body], ['gzip', gzipSync(SCRIPT)])
    for (const accepted of ['identity', 'br;q=0, gzip;q=0']) {
      const plain = await ask('/assets/index-Ab12.js', { 'Accept-Encoding': accepted })
      assert.deepEqual([plain.headers['content-encoding'], plain.body.toString()], [undefined, SCRIPT])
      assert.match(plain.headers.vary!, /Accept-Encoding/)
      assert.match(plain.headers['content-type']!, /javascript/)
    }
    const css = await ask('/assets/plain-Cd34.css', { 'Accept-Encoding': 'br' })
    assert.deepEqual([css.headers['content-encoding'], css.body.toString()], [undefined, 'body{}'])
  })

  it('the web app is kept for ever where a name identifies its content, and asked for each time otherwise', async () => {
    const hashed = await ask('/assets/index-Ab12.js')
    assert.equal(hashed.headers['cache-control'], 'public, max-age=31536000, immutable')
    for (const path of ['/service-worker.js', '/index.html', '/approvals']) {
      const { headers } = await ask(path, BROWSER)
      assert.equal(headers['cache-control'], 'public, no-cache', path)
      const again = await ask(path, { ...BROWSER, 'If-None-Match': headers.etag! })
      assert.deepEqual([again.status, again.body.length], [304, 0], path)
    }
  })

  it('the web app has no address for source maps, stamps, compressed forms and files outside of it', async () => {
    const outside = ['/assets/index-Ab12.js.map', '/assets/index-Ab12.js.br', '/.sources', '/../package.json']
    for (const path of [...outside, '/assets/..%2f..%2fpackage.json', '/%2e%2e/package.json'])
      assert.equal((await ask(path)).status, 404, path)
  })
})

describe('without a built web app', () => {
  const api = useApi()

  it('browsers are answered like everybody: by the API, or that nothing is there', async () => {
    const root = await api.call('GET', '/', { headers: BROWSER })
    assert.deepEqual([root.status, root.body.name], [200, 'durable-trader'])
    for (const path of ['/confirm', '/approvals'])
      assert.equal((await api.call('GET', path, { headers: BROWSER })).status, 404)
  })
})
