import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { findFreePort, requireFreePorts } from '#local/start/ports.ts'
import { findLastingPort } from '#test/support/lasting-port.ts'

describe('requireFreePorts', () => {
  it('passes when every port is free', async () => {
    await requireFreePorts([{ port: await findFreePort(), part: 'the API', setting: 'API_PORT' }])
  })

  it('names each taken port, the part that wants it and the setting that moves it', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      await assert.rejects(
        requireFreePorts([
          { port, part: 'the paper venue', setting: 'VENUE_PORT' },
          { port, part: 'the API', setting: 'API_PORT' },
        ]),
        (error: Error) =>
          error.message.includes(`Port ${port} for the paper venue is taken`) &&
          error.message.includes('VENUE_PORT=') &&
          error.message.includes('asked for twice: VENUE_PORT and API_PORT'),
      )
    } finally {
      server.close()
    }
  })
})

describe('findLastingPort', () => {
  it('gives a process no port twice, although nothing listens on them yet', async () => {
    const ports = await Promise.all(Array.from({ length: 500 }, () => findLastingPort()))
    assert.equal(new Set(ports).size, 500)
  })
})
