import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DigestError, requireExactly, putInPlace, unpackDownload } from '#local/servers/program-source.ts'
import { tool } from '#test/support/tools.ts'

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

describe('a download before it is run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-downloads-'))
  let archive: Buffer
  let server: Server
  let url: string
  before(async () => {
    writeFileSync(join(folder, 'temporal'), '#!/bin/sh\necho it runs\n')
    execFileSync(await tool('tar'), ['-czf', join(folder, 'archive'), '-C', folder, 'temporal'])
    archive = readFileSync(join(folder, 'archive'))
    server = createServer(({ url: path }, response) => {
      if (path === '/temporal.tar.gz') response.end(archive)
      else response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const install = (
    place: string,
    pinned: { url: string; sha256: string },
    report: (progress: string) => void = () => {},
  ): Promise<void> => putInPlace(place, (draft) => unpackDownload(pinned, 'temporal', draft, report))

  it('a download before it is run is unpacked if it is the archive that is expected', async () => {
    const place = join(folder, 'good', 'temporal')
    const progress: string[] = []
    await install(place, { url: `${url}/temporal.tar.gz`, sha256: sha256(archive) }, (each) =>
      progress.push(each),
    )
    assert.equal(progress.at(-1), 'downloading, 1 of 1 MB')
    assert.equal(execFileSync(place, { encoding: 'utf8' }), 'it runs\n')
    assert.deepEqual(readdirSync(join(folder, 'good')), ['temporal'])
  })

  it('a download before it is run is thrown away if it is another archive, or none', async () => {
    const place = join(folder, 'bad', 'temporal')
    const expected = { url: `${url}/temporal.tar.gz`, sha256: sha256('another archive') }
    await assert.rejects(install(place, expected), DigestError)
    await assert.rejects(install(place, { ...expected, url: `${url}/absent` }), /answers 404/)
    assert.ok(!existsSync(place))
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('bad')),
      [],
      'no draft is left',
    )
  })

  it('a download before it is run is refused as a set of files when one is changed, missing or foreign', async () => {
    const jars = join(folder, 'jars')
    mkdirSync(jars)
    for (const name of ['a.jar', 'b.jar']) writeFileSync(join(jars, name), name)
    const expected = { 'a.jar': sha256('a.jar'), 'b.jar': sha256('b.jar') }
    await requireExactly(jars, expected)
    await assert.rejects(requireExactly(jars, { ...expected, 'b.jar': sha256('c') }), DigestError)
    await assert.rejects(requireExactly(jars, { 'a.jar': expected['a.jar'] }), /b\.jar/)
    await assert.rejects(requireExactly(jars, { ...expected, 'c.jar': sha256('c') }), /c\.jar/)
  })
})
