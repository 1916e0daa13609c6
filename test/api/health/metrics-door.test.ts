import assert from 'node:assert/strict'
import pino from 'pino'
import { serveMetrics } from '#api/metrics/server.ts'
import { findFreePort } from '#local/start/ports.ts'
import { askRaw } from '../support/raw-request.ts'

describe('the metrics of the API', () => {
  for (const [listensAt, others] of [
    ['127.0.0.1', 403],
    ['0.0.0.0', 200],
  ] as const)
    it(`the metrics of the API that listens at ${listensAt} are answered ${others} under a name that is not of this machine`, async () => {
      const port = await findFreePort()
      const metrics = { scrape: async () => 'a 1' }
      const server = await serveMetrics(metrics, { host: listensAt, port }, pino({ enabled: false }))
      try {
        const address = `http://127.0.0.1:${port}`
        for (const [host, expected] of [
          [`127.0.0.1:${port}`, 200],
          ['localhost', 200],
          [`evil.example:${port}`, others],
          ['127.0.0.1.evil.example', others],
        ] as const)
          assert.equal((await askRaw(address, 'GET', '/metrics', { Host: host })).status, expected, host)
      } finally {
        await server.stop()
      }
    })
})
