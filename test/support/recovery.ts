import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownerOfData, runStatement } from '#local/servers/postgres.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { eventually } from './eventually.ts'

/** The recovery of a PostgreSQL to a point in time, in the steps of docs/running.md. */

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

/** How a server is to recover: settings of PostgreSQL, as `name: value`. */
export type RecoverySettings = { restore_command: string } & Partial<
  Record<'recovery_target_time' | 'recovery_target_action' | 'recovery_target_timeline', string>
>

/** @param instant as PostgreSQL writes one */
export const recoveringTo = (instant: string, archive: string): RecoverySettings => ({
  ...recoveringAll(archive),
  recovery_target_time: instant,
  recovery_target_action: 'promote',
})

/** To the end of what was archived. */
export const recoveringAll = (archive: string): RecoverySettings => ({
  restore_command: `cp ${archive}/%f %p`,
})

/** Puts a base back-up in the place of the data, and says in it how the server is to recover. */
export async function putInPlace(base: string, data: string, settings: RecoverySettings): Promise<void> {
  cpSync(base, data, { recursive: true })
  writeFileSync(join(data, 'recovery.signal'), '')
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.auto.conf'), lines.join(''))
  chmodSync(data, 0o700)
  const owner = await ownerOfData(dirname(data))
  if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, data])
}

/**
 * Waits until a server has reached its target and can be written to, and takes the settings of the recovery away: the next
 * base back-up would hold them.
 */
export async function finishRecovery(url: string, settings: RecoverySettings): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await runStatement(url, 'select pg_is_in_recovery() as "isRecovering"')
      assert.deepEqual(rows, [{ isRecovering: false }])
    },
    { within: 60_000 },
  )
  for (const name of Object.keys(settings)) await runStatement(url, `alter system reset ${name}`)
}
