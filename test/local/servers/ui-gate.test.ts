import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManagedProcess, startGuardian } from '#local/processes/managed-process.ts'
import { findFreePort } from '#local/start/ports.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { temporalServer } from '#local/servers/temporal-server.ts'
import { serveUi } from '#local/servers/ui-gate.ts'
import { eventually } from '#test/support/eventually.ts'
import { tool } from '#test/support/tools.ts'

describe('the reach of web pages to a local Temporal server', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-ui-'))
  let record: RunRecord
  let gate: Server
  /** Ports of the gate and of the server's own HTTP interface. */
  let port: number
  let httpPort: number
  before(async () => {
    record = await RunRecord.claim(join(folder, 'run.json'), folder)
    startGuardian(record)
    const binary = await tool('temporal')
    const ui = { host: '127.0.0.1', port: await findFreePort() }
    httpPort = await findFreePort()
    const spec = temporalServer({
      binary,
      port: await findFreePort(),
      ui,
      namespace: 'default',
      databaseFile: undefined,
      logFile: join(folder, 'temporal.log'),
    })
    const server = await ManagedProcess.start(
      { ...spec, args: [...spec.args, '--http-port', String(httpPort)] },
      record,
    )
    await server.untilReady()
    gate = await serveUi('127.0.0.1', 0, ui)
    port = (gate.address() as AddressInfo).port
    await eventually(async () => assert.equal(await ask({}), 200))
    // The UI is there before the server that it asks.
    await eventually(async () => assert.equal(await ask({ origin: own() }, LIST), 200))
  })
  after(async () => {
    gate?.close()
    gate?.closeAllConnections()
    await record.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (headers: Record<string, string>, { method = 'GET', path = '/', at = port } = {}) =>
    new Promise<number>((resolve, reject) => {
      const host = `127.0.0.1:${at}`
      const sent = request(
        { host: '127.0.0.1', port: at, method, path, headers: { host, ...headers } },
        (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode!))
        },
      )
      sent.on('error', reject).end()
    })
  const LIST = { path: '/api/v1/namespaces/default/workflows' }
  const CALL = { path: '/api/v1/namespaces/default/workflows/signal-1/terminate', method: 'POST' }
  const own = () => `http://127.0.0.1:${port}`

  it('the UI answers the person who opens it, from a link as well', async () => {
    assert.equal(await ask({ host: `localhost:${port}` }), 200)
    assert.equal(await ask({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }), 200)
    assert.equal(await ask({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), 200)
  })

  it('the reach of web pages to a local Temporal server its own pages may call it', async () => {
    assert.equal(await ask({ origin: own(), 'sec-fetch-site': 'same-origin' }, LIST), 200)
    assert.notEqual(await ask({ origin: own(), 'sec-fetch-site': 'same-origin' }, CALL), 403)
  })

  for (const [name, headers] of Object.entries({
    'a page whose own name resolves to this machine': {
      host: 'evil.example',
      'sec-fetch-site': 'same-origin',
    },
    'a page whose name begins like this machine': { host: '127.0.0.1.evil.example:8233' },
    'a page of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    'a page in a box': { origin: 'null' },
    'a page of another port': { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
    'a form of another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    'an image of another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  }))
    it(`${name} may not`, async () => {
      assert.equal(await ask(headers, CALL), 403)
    })

  it('the reach of web pages to a local Temporal server is handed no cookie but its own, and no credential', async () => {
    const seen: IncomingHttpHeaders[] = []
    const ui = createServer((incoming, response) => {
      seen.push(incoming.headers)
      response.end()
    })
    await new Promise<void>((resolve) => void ui.listen(0, '127.0.0.1', resolve))
    const at = (ui.address() as AddressInfo).port
    const before = await serveUi('127.0.0.1', 0, { host: '127.0.0.1', port: at })
    try {
      const gatePort = (before.address() as AddressInfo).port
      for (const cookie of ['dt-refresh=a; _csrf=b; __Host-dt-device=c', 'dt-refresh=a', '_csrf=b'])
        await ask({ cookie, authorization: 'Bearer x' }, { at: gatePort })
      assert.deepEqual(
        seen.map(({ cookie, authorization }) => [cookie, authorization]),
        [
          ['_csrf=b', undefined],
          [undefined, undefined],
          ['_csrf=b', undefined],
        ],
      )
    } finally {
      before.close()
      ui.close()
    }
  })

  it('the server’s own HTTP interface answers under no name', async () => {
    for (const host of [`127.0.0.1:${httpPort}`, 'localhost', 'evil.example'])
      assert.equal(await ask({ host }, { path: '/api/v1/namespaces', at: httpPort }), 403)
  })
})
