import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import {
  findFreePort,
  PORT_SETTINGS,
  readLocalSettings,
  requireFreePorts,
  wantedPorts,
} from '#local/start/ports.ts'
import { findLastingPort } from '#test/support/lasting-port.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

describe('the ports of npm start', () => {
  const folder = useTemporaryFolder()
  const portsWith = (environment: NodeJS.ProcessEnv): number[] => {
    const settings = readLocalSettings({ DATA_DIR: folder.path(), ...environment })
    return PORT_SETTINGS.map((setting) => settings[setting])
  }
  const from = (base: number) => PORT_SETTINGS.map((_, index) => base + index)

  it('the ports of npm start lie below those that Linux gives to outgoing connections', () => {
    const ports = portsWith({})
    assert.deepEqual(
      ports.filter((port) => port >= 32_768),
      [],
    )
    assert.equal(new Set(ports).size, PORT_SETTINGS.length)
    assert.deepEqual(
      wantedPorts(readLocalSettings({ DATA_DIR: folder.path() })).map(({ port }) => port),
      ports,
    )
  })

  it('PORT_BASE alone gives a second copy ports that the first has not', () => {
    assert.deepEqual(portsWith({ PORT_BASE: '4000' }), from(4000))
    const both = [...portsWith({}), ...portsWith({ PORT_BASE: '4000' })]
    assert.equal(new Set(both).size, 2 * PORT_SETTINGS.length)
  })

  it('PORT_BASE leaves a port with a setting of its own where it is', () => {
    const [, ...others] = from(4000)
    assert.deepEqual(portsWith({ PORT_BASE: '4000', API_PORT: '5000', VENUE_PORT: '' }), [5000, ...others])
  })

  it('PORT_BASE is refused where its ports would be those of outgoing connections', () => {
    assert.throws(() => portsWith({ PORT_BASE: '32001' }), /PORT_BASE: must be at most 32000/)
  })

  it('a data folder keeps the ports of its last start with PORT_BASE until another is set', () => {
    writeFileSync(folder.path('demo-credentials.json'), JSON.stringify({ portBase: 4000 }))
    assert.deepEqual(portsWith({}), from(4000))
    assert.deepEqual(portsWith({ PORT_BASE: '6000' }), from(6000))
  })
})

describe('requireFreePorts', () => {
  it('names a port that no browser opens', async () => {
    await assert.rejects(
      requireFreePorts([{ port: 6000, part: 'the API', setting: 'API_PORT' }]),
      /Port 6000 for the API is one that browsers refuse to open. Change API_PORT/,
    )
  })

  it('passes when every port is free', async () => {
    await requireFreePorts([{ port: await findFreePort(), part: 'the API', setting: 'API_PORT' }])
  })

  /** The message about ports of which one is taken by another program. */
  async function messageAbout(
    check: (taken: number) => Promise<void>,
  ): Promise<{ taken: number; message: string }> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port: taken } = server.address() as AddressInfo
    try {
      await check(taken)
      return { taken, message: '' }
    } catch (error) {
      return { taken, message: (error as Error).message }
    } finally {
      server.close()
    }
  }

  it('names each taken port, the part that wants it and the setting that moves it', async () => {
    const { taken, message } = await messageAbout((port) =>
      requireFreePorts([
        { port, part: 'the paper venue', setting: 'VENUE_PORT' },
        { port, part: 'the API', setting: 'API_PORT' },
      ]),
    )
    assert.match(message, new RegExp(`Port ${taken} for the paper venue is taken .*change VENUE_PORT`))
    assert.match(message, /asked for twice: VENUE_PORT and API_PORT/)
  })

  const wantedAt = (settings: NodeJS.ProcessEnv) =>
    wantedPorts(readLocalSettings({ DATA_DIR: '/nonexistent', ...settings }))

  it('names a PORT_BASE at which every port is free, for a second copy', async () => {
    const { message } = await messageAbout((taken) =>
      requireFreePorts([{ port: taken, part: 'the API', setting: 'API_PORT' }], (base) =>
        wantedAt({ PORT_BASE: String(base) }),
      ),
    )
    const [, base] = /second copy on this machine: PORT_BASE=(\d+) npm start$/.exec(message)!
    await requireFreePorts(wantedAt({ PORT_BASE: base }))
  })

  it('names no PORT_BASE where the taken port has a setting of its own, which no base moves', async () => {
    const { message } = await messageAbout((taken) => {
      const own = { VENUE_PORT: String(taken) }
      return requireFreePorts(wantedAt(own), (base) => wantedAt({ ...own, PORT_BASE: String(base) }))
    })
    assert.match(message, /change VENUE_PORT/)
    assert.doesNotMatch(message, /PORT_BASE/)
  })
})

describe('findLastingPort', () => {
  it('gives a process no port twice, although nothing listens on them yet', async () => {
    const ports = await Promise.all(Array.from({ length: 500 }, () => findLastingPort()))
    assert.equal(new Set(ports).size, 500)
  })
})
