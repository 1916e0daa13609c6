import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeptPorts } from '#test/cluster/kept-ports.ts'

describe('the ports of a cluster', () => {
  let file: string
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'durable-trader-ports-'))
    file = join(folder, 'ports.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('the ports of a cluster are the same at the next start, and one for each name', async () => {
    const names = ['postgres', 'api 1', 'api 2']
    const ports = new KeptPorts(file)
    const first: number[] = []
    for (const name of names) first.push(await ports.of(name))
    assert.equal(new Set(first).size, names.length)
    const later = new KeptPorts(file)
    for (const [index, name] of names.entries()) assert.equal(await later.of(name), first[index])
  })

  it('the ports of a cluster are replaced where another program listens on one of the addresses meanwhile', async () => {
    const port = await new KeptPorts(file).of('history', ['127.0.0.1'])
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    try {
      const found = await new KeptPorts(file).of('history', ['127.0.0.1'])
      assert.notEqual(found, port)
      assert.equal(await new KeptPorts(file).of('history'), found)
    } finally {
      other.close()
    }
  })
})
