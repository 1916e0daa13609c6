import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownerOfData, runStatement } from '#local/servers/postgres.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { eventually } from './eventually.ts'

/** The recovery of a PostgreSQL to a point in time, in the steps of docs/operate/back-up.md. */

/** Makes a folder to which PostgreSQL, as its own user, archives its log, and answers the settings with which it does. */
export function archivingTo(archive: string): Record<string, string> {
  mkdirSync(archive, { recursive: true })
  // PostgreSQL's own user writes there.
  chmodSync(archive, 0o777)
  const script = join(REPOSITORY, 'deploy', 'archive-wal.sh')
  return { archive_mode: 'on', archive_command: `sh ${script} %p %f ${archive}` }
}

/**
 * Makes the user of back-ups in a database as deploy/postgres-users.sh does, and answers the address with which back-ups
 * are made.
 *
 * @param url of the database, as superuser; its server has a database of the service
 */
export async function makeBackUpUser(url: string): Promise<string> {
  const statements = readFileSync(join(REPOSITORY, 'deploy/postgres-users.sh'), 'utf8')
    .split('\n')
    .filter((line) => /^(create|grant) .*\bbackup\b/.test(line))
    .map((line) => line.replace(":'backup_password'", "'backup-password'"))
  for (const statement of statements) await runStatement(url, statement)
  const asBackUp = new URL(url)
  asBackUp.username = 'backup'
  asBackUp.password = 'backup-password'
  return asBackUp.href
}

const SETTINGS = [
  'restore_command',
  'recovery_target_time',
  'recovery_target_action',
  'recovery_target_timeline',
] as const

/** From what a server is recovered, and to which state. */
export interface Recovery {
  /** Folder of a base back-up. */
  base: string
  /** Folder of the archived log. */
  archive: string
  /** As PostgreSQL writes one; null: to the end of the archive. */
  instant: string | null
  /** Goes on in the history of the base back-up, whatever was recovered from it before. */
  isInOldHistory?: boolean
}

/** Puts a base back-up in the place of the data by the very commands of docs/operate/back-up.md, with the paths and the instant of a test. */
export async function putInPlace(
  data: string,
  { base, archive, instant, isInOldHistory = false }: Recovery,
): Promise<void> {
  const page = readFileSync(join(REPOSITORY, 'docs/operate/back-up.md'), 'utf8')
  let [, script = ''] = / postgres -eu <<'END'\n([^]+?\n) *END\n/.exec(page) ?? []
  const replace = (documented: string, own: string): void => {
    assert.ok(script.includes(documented), `docs/operate/back-up.md says: ${documented}`)
    script = script.replaceAll(documented, own)
  }
  const owner = await ownerOfData(dirname(data))
  replace(
    'chown -R postgres:postgres /var/lib/postgresql\n',
    owner ? `chown -R ${owner.uid}:${owner.gid} ${data}\n` : '\n',
  )
  replace('/var/lib/postgresql/18/docker', data)
  replace('/backup/base/2026-11-22T03-00-00-000Z', base)
  replace('/backup/wal', archive)
  const target = `echo "recovery_target_time = '2026-11-22 10:30:00+00'" >> $data/postgresql.auto.conf`
  replace(target, instant === null ? '' : target.replace('2026-11-22 10:30:00+00', instant))
  execFileSync('sh', ['-eu'], { input: script })
  if (isInOldHistory)
    appendFileSync(join(data, 'postgresql.auto.conf'), `recovery_target_timeline = 'current'\n`)
}

/**
 * Waits until a server has reached its target and can be written to, and takes the settings of the recovery away: the next
 * base back-up would hold them.
 */
export async function finishRecovery(url: string): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await runStatement(url, 'select pg_is_in_recovery() as "isRecovering"')
      assert.deepEqual(rows, [{ isRecovering: false }])
    },
    { within: 60_000 },
  )
  for (const name of SETTINGS) await runStatement(url, `alter system reset ${name}`)
}
