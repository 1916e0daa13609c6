import assert from 'node:assert/strict'
import pino from 'pino'
import { serveMetrics } from '#api/metrics/server.ts'
import { askRaw } from '../support/raw-request.ts'

describe('the metrics of the API', () => {
  it('the metrics of the API are for whoever means this machine, and not for a page whose name leads here', async () => {
    const port = 20_000 + (process.pid % 20_000)
    const metrics = { scrape: async () => 'a 1' }
    const server = await serveMetrics(metrics, { host: '127.0.0.1', port }, pino({ enabled: false }))
    try {
      const address = `http://127.0.0.1:${port}`
      for (const [host, expected] of [
        [`127.0.0.1:${port}`, 200],
        ['localhost', 200],
        [`evil.example:${port}`, 403],
        ['127.0.0.1.evil.example', 403],
      ] as const)
        assert.equal((await askRaw(address, 'GET', '/metrics', { Host: host })).status, expected, host)
    } finally {
      await server.stop()
    }
  })
})
