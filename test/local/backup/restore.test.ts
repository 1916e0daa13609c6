import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeOlder } from '#local/backup/retention.ts'
import { readManifest, type Manifest } from '#local/backup/manifest.ts'
import { restore, dropCommands } from '#local/backup/restore.ts'
import { SIGNATURE, signManifest } from '#local/backup/signature.ts'
import { StartupError } from '#local/processes/startup-error.ts'
import { dataFolderAt } from '#local/start/data-folder.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

/** The keys of the installation. */
const RING = JSON.stringify({ current: 'k1', keys: { k1: randomBytes(32).toString('base64') } })
const AUTO_CONF = "log_min_messages = 'warning'\narchive_command = 'cp %p /srv/%f'\n"
const LEDGER_AT = '2026-11-22T10:00:00.000Z'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a back-up on the disk', () => {
  const folder = useTemporaryFolder()

  /** A back-up as `npm run backup` writes it, of two files and the keys. */
  async function written(changes: Partial<Manifest> = {}, name = 'durable-trader-1'): Promise<string> {
    const path = folder.path('backups', name)
    const contents = {
      'postgres/PG_VERSION': '18\n',
      'postgres/postgresql.auto.conf': AUTO_CONF,
      'secrets.json': '{"databasePassword":"p"}',
    }
    const manifest: Manifest = {
      format: 1,
      service: '0.1.0',
      startedAt: LEDGER_AT,
      ledgerAt: LEDGER_AT,
      venueAt: null,
      postgres: { version: '18.4', systemId: '1', schema: ['0001-baseline'] },
      keys: { name: `${name}.keys.json`, sha256: sha256(RING) },
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
    const keys = folder.path('backups', `${name}.keys.json`)
    writeFileSync(keys, RING)
    await signManifest(path, keys)
    return path
  }
  const restored = (from: string, keyFile?: string) =>
    restore({ from, keyFile, to: dataFolderAt(folder.path('data')) }, () => {})
  const refused = (from: string, says: RegExp) =>
    assert.rejects(restored(from), (error) => error instanceof StartupError && says.test(error.message))

  it('becomes a data folder with private files, the keys, and word of the restoration', async () => {
    await restored(await written())
    const data = dataFolderAt(folder.path('data'))
    assert.equal(readFileSync(data.keys, 'utf8'), RING)
    assert.equal(readFileSync(data.secrets, 'utf8'), '{"databasePassword":"p"}')
    assert.deepEqual(JSON.parse(readFileSync(data.restoration, 'utf8')), { ledgerAt: LEDGER_AT })
    assert.deepEqual(readdirSync(data.postgres).toSorted(), [
      'PG_VERSION',
      'pg_notify',
      'postgresql.auto.conf',
    ])
    const modes = [data.keys, data.secrets, data.postgres].map((path) => statSync(path).mode & 0o777)
    assert.deepEqual(modes, [0o600, 0o600, 0o700])
    assert.deepEqual(readdirSync(folder.path()).toSorted(), ['backups', 'data'])
  })

  it('a back-up on the disk is taken with keys that were moved elsewhere, and not with others', async () => {
    const from = await written()
    rmSync(folder.path('backups', 'durable-trader-1.keys.json'))
    await refused(from, /The keys of this back-up are not at .*durable-trader-1\.keys\.json/)
    writeFileSync(folder.path('other'), 'other keys')
    await assert.rejects(restored(from, folder.path('other')), /other is damaged: its SHA-256/)
    writeFileSync(folder.path('moved'), RING)
    await restored(from, folder.path('moved'))
  })

  it('a back-up on the disk never overwrites anything', async () => {
    mkdirSync(folder.path('data'))
    writeFileSync(folder.path('data', 'thesis.txt'), '')
    await refused(await written(), /data is not empty, and nothing in it is overwritten\. Move it away/)
    rmSync(folder.path('data', 'thesis.txt'))
    await restored(await written())
  })

  it('becomes one data folder when it is restored twice at once, and the second is refused', async () => {
    const from = await written()
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

  it('a back-up on the disk is refused with the name of the file that is missing, and nothing is left behind', async () => {
    const from = await written()
    rmSync(join(from, 'data', 'secrets.json'))
    await refused(from, /secrets\.json is damaged: it is missing/)
    assert.deepEqual(readdirSync(folder.path()), ['backups'])
  })

  it('a back-up on the disk is refused without its manifest, with a damaged one, and with one that leads out of it', async () => {
    const from = await written()
    const outside = { path: '../outside', size: 0, sha256: sha256('') }
    await refused(
      await written({ files: [outside] }),
      /manifest\.json is damaged.*\n?.*no path within the back-up/s,
    )
    writeFileSync(join(from, 'manifest.json'), '{"format":1')
    await refused(from, /manifest\.json is damaged/)
    rmSync(join(from, 'manifest.json'))
    await refused(from, /is no complete back-up/)
  })

  it('a back-up on the disk is refused when a newer version of the service, or another one of PostgreSQL, has written it', async () => {
    const postgres = { version: '18.4', systemId: '1', schema: ['0001-baseline', '0002-later'] }
    await refused(await written({ postgres }), /schema this version does not know \(0002-later\)/)
    const from = await written()
    writeFileSync(join(from, 'data', 'postgres', 'PG_VERSION'), '17\n')
    await refused(from, /was written by PostgreSQL 17; the one installed is 18/)
  })

  it('a back-up on the disk is refused when its manifest was changed after it was signed, or never was signed, unless that is allowed', async () => {
    const from = await written()
    const manifest = join(from, 'manifest.json')
    const malicious = '{"databasePassword":"q"}'
    writeFileSync(join(from, 'data', 'secrets.json'), malicious)
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace(sha256('{"databasePassword":"p"}'), sha256(malicious)),
    )
    await refused(from, /is not signed with its keys: it was changed.*--unsigned/)
    const forged = [
      '',
      'k1 00',
      `k2 ${'0'.repeat(64)}`,
      `k1 ${'0'.repeat(64)}`,
      `__proto__ ${'0'.repeat(64)}`,
    ]
    for (const text of forged) {
      writeFileSync(join(from, SIGNATURE), text)
      await refused(from, /is not signed with its keys/)
    }
    rmSync(join(from, SIGNATURE))
    await refused(from, /is not signed with its keys/)
    assert.deepEqual(readdirSync(folder.path()), ['backups'])

    const to = dataFolderAt(folder.path('data'))
    const told: string[] = []
    await restore({ from, mayBeUnsigned: true, to }, (line) => told.push(line))
    assert.equal(readFileSync(to.secrets, 'utf8'), malicious)
    assert.match(
      told.join('\n'),
      /left out, because it runs something: postgresql.auto.conf: archive_command/,
    )
    assert.equal(
      readFileSync(join(to.postgres, 'postgresql.auto.conf'), 'utf8'),
      "log_min_messages = 'warning'\n",
    )
  })

  it('keeps every setting of its server when it is signed', async () => {
    await restored(await written())
    assert.equal(readFileSync(folder.path('data', 'postgres', 'postgresql.auto.conf'), 'utf8'), AUTO_CONF)
  })

  it('a back-up on the disk has settings that run something in many spellings, which are found, and the others stay', () => {
    const runs = [
      "archive_command = 'x'",
      "  Restore_Command 'x'",
      "archive_cleanup_command='x'",
      "recovery_end_command'x'",
      "ssl_passphrase_command = 'x'",
      "shared_preload_libraries = 'x'",
      "session_preload_libraries = 'x'",
      "local_preload_libraries = 'x'",
      "archive_library = 'x'",
      "dynamic_library_path = '/x'",
      "jit_provider = 'x'",
      "include 'x.conf'",
      "include_dir = 'x'",
      "include_if_exists 'x'",
      "hba_file = '/x'",
    ]
    const stays = [
      '# archive_command = x',
      "log_line_prefix = 'archive_command'",
      'max_connections = 100',
      '',
    ]
    mkdirSync(folder.path('postgres'))
    for (const name of ['postgresql.conf', 'postgresql.auto.conf'])
      writeFileSync(folder.path('postgres', name), [...runs, ...stays].join('\n'))
    assert.equal(dropCommands(folder.path('postgres')).length, 2 * runs.length)
    for (const name of ['postgresql.conf', 'postgresql.auto.conf'])
      assert.equal(readFileSync(folder.path('postgres', name), 'utf8'), stays.join('\n'))
  })

  it('goes with its keys when newer ones of the same installation are kept, and no other does', async () => {
    const at = (day: number) => ({ startedAt: `2026-11-0${day}T10:00:00.000Z` })
    for (const day of [1, 2, 3]) await written(at(day), `durable-trader-${day}`)
    const postgres = { version: '18.4', systemId: '2', schema: [] }
    await written({ ...at(1), postgres }, 'durable-trader-4')
    writeFileSync(join(await written(at(1), 'durable-trader-5'), 'manifest.json'), 'damaged')
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

  it('stays as the new one, and is reported, beside others that lie in the future', async () => {
    await written({ startedAt: '2026-11-01T10:00:00.000Z' }, 'durable-trader-1')
    const path = await written({ startedAt: '2026-11-02T10:00:00.000Z' }, 'durable-trader-2')
    for (const year of [2027, 2028])
      await written({ startedAt: `${year}-01-01T10:00:00.000Z` }, `durable-trader-${year}`)
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
