import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeOlder } from '#local/backup/retention.ts'
import { readManifest, type Manifest } from '#local/backup/manifest.ts'
import { restore } from '#local/backup/restore.ts'
import { StartupError } from '#local/processes/startup-error.ts'
import { dataFolderAt } from '#local/start/data-folder.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

const LEDGER_AT = '2026-11-22T10:00:00.000Z'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a back-up on the disk', () => {
  const folder = useTemporaryFolder()

  /** A back-up as `npm run backup` writes it, of two files and the keys. */
  function written(changes: Partial<Manifest> = {}, name = 'durable-trader-1'): string {
    const path = folder.path('backups', name)
    const contents = { 'postgres/PG_VERSION': '18\n', 'secrets.json': '{"databasePassword":"p"}' }
    const manifest: Manifest = {
      format: 1,
      service: '0.1.0',
      startedAt: LEDGER_AT,
      ledgerAt: LEDGER_AT,
      venueAt: null,
      postgres: { version: '18.4', systemId: '1', schema: ['0001-baseline'] },
      keys: { name: `${name}.keys.json`, sha256: sha256('keys') },
      folders: ['postgres', 'postgres/pg_notify'],
      files: Object.entries(contents).map(([file, text]) => ({
        path: file,
        size: text.length,
        sha256: sha256(text),
      })),
      ...changes,
    }
    for (const [file, text] of Object.entries(contents)) {
      mkdirSync(dirname(join(path, 'data', file)), { recursive: true })
      writeFileSync(join(path, 'data', file), text)
    }
    writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest))
    writeFileSync(folder.path('backups', `${name}.keys.json`), 'keys')
    return path
  }
  const restored = (from: string, keyFile?: string) =>
    restore({ from, keyFile, to: dataFolderAt(folder.path('data')) }, () => {})
  const refused = (from: string, says: RegExp) =>
    assert.rejects(restored(from), (error) => error instanceof StartupError && says.test(error.message))

  it('becomes a data folder with private files, the keys, and word of the restoration', async () => {
    await restored(written())
    const data = dataFolderAt(folder.path('data'))
    assert.equal(readFileSync(data.keys, 'utf8'), 'keys')
    assert.equal(readFileSync(data.secrets, 'utf8'), '{"databasePassword":"p"}')
    assert.deepEqual(JSON.parse(readFileSync(data.restoration, 'utf8')), { ledgerAt: LEDGER_AT })
    assert.deepEqual(readdirSync(data.postgres).toSorted(), ['PG_VERSION', 'pg_notify'])
    const modes = [data.keys, data.secrets, data.postgres].map((path) => statSync(path).mode & 0o777)
    assert.deepEqual(modes, [0o600, 0o600, 0o700])
    assert.deepEqual(readdirSync(folder.path()).toSorted(), ['backups', 'data'])
  })

  it('is taken with keys that were moved elsewhere, and not with others', async () => {
    const from = written()
    rmSync(folder.path('backups', 'durable-trader-1.keys.json'))
    await refused(from, /The keys of this back-up are not at .*durable-trader-1\.keys\.json/)
    writeFileSync(folder.path('other'), 'other keys')
    await assert.rejects(restored(from, folder.path('other')), /other is damaged: its SHA-256/)
    writeFileSync(folder.path('moved'), 'keys')
    await restored(from, folder.path('moved'))
  })

  it('never overwrites anything', async () => {
    mkdirSync(folder.path('data'))
    writeFileSync(folder.path('data', 'thesis.txt'), '')
    await refused(written(), /data is not empty, and nothing in it is overwritten\. Move it away/)
    rmSync(folder.path('data', 'thesis.txt'))
    await restored(written())
  })

  it('becomes one data folder when it is restored twice at once, and the second is refused', async () => {
    const from = written()
    mkdirSync(folder.path('data.restoring-cutoff'))
    const told: string[] = []
    const to = dataFolderAt(folder.path('data'))
    const both = await Promise.allSettled([
      restore({ from, to }, (line) => told.push(line)),
      restore({ from, to }, () => {}),
    ])
    const refusals = both.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
    assert.equal(refusals.length, 1)
    assert.ok(refusals[0] instanceof StartupError)
    assert.match(refusals[0].message, /data was filled meanwhile/)
    assert.match(told.join(' '), /data\.restoring-cutoff is of a restore that was cut off/)
    assert.deepEqual(JSON.parse(readFileSync(to.restoration, 'utf8')), { ledgerAt: LEDGER_AT })
    assert.deepEqual(readdirSync(folder.path()).toSorted(), ['backups', 'data', 'data.restoring-cutoff'])
  })

  it('is refused with the name of the file that is missing, and nothing is left behind', async () => {
    const from = written()
    rmSync(join(from, 'data', 'secrets.json'))
    await refused(from, /secrets\.json is damaged: it is missing/)
    assert.deepEqual(readdirSync(folder.path()), ['backups'])
  })

  it('is refused without its manifest, with a damaged one, and with one that leads out of it', async () => {
    const from = written()
    const outside = { path: '../outside', size: 0, sha256: sha256('') }
    await refused(
      written({ files: [outside] }),
      /manifest\.json is damaged.*\n?.*no path within the back-up/s,
    )
    writeFileSync(join(from, 'manifest.json'), '{"format":1')
    await refused(from, /manifest\.json is damaged/)
    rmSync(join(from, 'manifest.json'))
    await refused(from, /is no complete back-up/)
  })

  it('is refused when a newer version of the service, or another one of PostgreSQL, has written it', async () => {
    const postgres = { version: '18.4', systemId: '1', schema: ['0001-baseline', '0002-later'] }
    await refused(written({ postgres }), /schema this version does not know \(0002-later\)/)
    const from = written()
    writeFileSync(join(from, 'data', 'postgres', 'PG_VERSION'), '17\n')
    await refused(from, /was written by PostgreSQL 17; the one installed is 18/)
  })

  it('goes with its keys when newer ones of the same installation are kept, and no other does', () => {
    const at = (day: number) => ({ startedAt: `2026-11-0${day}T10:00:00.000Z` })
    for (const day of [1, 2, 3]) written(at(day), `durable-trader-${day}`)
    const postgres = { version: '18.4', systemId: '2', schema: [] }
    written({ ...at(1), postgres }, 'durable-trader-4')
    writeFileSync(join(written(at(1), 'durable-trader-5'), 'manifest.json'), 'damaged')
    const path = folder.path('backups', 'durable-trader-3')
    const made = { path, keys: `${path}.keys.json`, manifest: readManifest(path)! }
    assert.deepEqual(
      removeOlder(made, 2, () => {}),
      [folder.path('backups', 'durable-trader-1')],
    )
    assert.deepEqual(
      readdirSync(folder.path('backups')).toSorted(),
      ['2', '3', '4', '5'].flatMap((number) => [
        `durable-trader-${number}`,
        `durable-trader-${number}.keys.json`,
      ]),
    )
  })

  it('stays as the new one, and is told, beside others that lie in the future', () => {
    written({ startedAt: '2026-11-01T10:00:00.000Z' }, 'durable-trader-1')
    const path = written({ startedAt: '2026-11-02T10:00:00.000Z' }, 'durable-trader-2')
    for (const year of [2027, 2028])
      written({ startedAt: `${year}-01-01T10:00:00.000Z` }, `durable-trader-${year}`)
    const made = { path, keys: `${path}.keys.json`, manifest: readManifest(path)! }
    const told: string[] = []
    assert.deepEqual(
      removeOlder(made, 1, (line) => told.push(line)),
      [folder.path('backups', 'durable-trader-1')],
    )
    assert.match(
      told.join(' '),
      /durable-trader-2028 lies in the future.*durable-trader-2027 lies in the future/,
    )
  })
})
