import { execFileSync, spawnSync } from 'node:child_process'
import { StartupError } from '../processes/startup-error.ts'

export type PostgresLaunch = {
  /** User that must own the data; undefined: the present user. */
  owner: { uid: number; gid: number } | undefined
  commandLine: (program: string, args: readonly string[]) => { command: string; args: string[] }
  spawnAs: { uid: number; gid: number } | undefined
}

/**
 * Finds a way to run PostgreSQL: as the present user, or for root as the system's `postgres` user (created if missing),
 * with the capability dac_override if that user cannot pass a closed folder such as /root.
 *
 * @param program any of PostgreSQL's programs
 * @param folder an existing folder for the data
 * @throws {StartupError} when neither way works here
 */
export function findPostgresLaunch(program: string, folder: string): PostgresLaunch {
  if (process.getuid?.() !== 0)
    return {
      owner: undefined,
      spawnAs: undefined,
      commandLine: (command, args) => ({ command, args: [...args] }),
    }

  const owner = postgresUser()
  const ways: PostgresLaunch[] = [
    { owner, spawnAs: owner, commandLine: (command, args) => ({ command, args: [...args] }) },
    {
      owner,
      spawnAs: undefined,
      commandLine: (command, args) => ({
        command: 'setpriv',
        args: [...passingClosedFolders(owner), command, ...args],
      }),
    },
  ]
  const way = ways.find((each) => works(each, program, ['--version']) && works(each, 'test', ['-x', folder]))
  if (!way)
    throw new StartupError(
      `PostgreSQL does not run as root, and its user "postgres" cannot reach ${folder}.\n` +
        'Run npm start as an ordinary user, move the project to a folder that others may pass (chmod o+x on ' +
        'each folder above it), or set DATABASE_URL to a PostgreSQL of your own.',
    )
  return way
}

/** Arguments of util-linux setpriv; access(2) heeds the capability only without the set-uid fix-up. */
function passingClosedFolders({ uid, gid }: { uid: number; gid: number }): string[] {
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup']
  return [...identity, '--inh-caps=+dac_override', '--ambient-caps=+dac_override']
}

function works(way: PostgresLaunch, program: string, args: readonly string[]): boolean {
  const line = way.commandLine(program, args)
  return spawnSync(line.command, line.args, { stdio: 'ignore', ...way.spawnAs }).status === 0
}

function postgresUser(): { uid: number; gid: number } {
  const existing = lookUpPostgresUser()
  if (existing) return existing
  const made = spawnSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], {
    encoding: 'utf8',
  })
  const user = lookUpPostgresUser()
  if (user) return user
  throw new StartupError(
    `PostgreSQL does not run as root, and a user "postgres" could not be made (${made.stderr || String(made.error)}).\n` +
      'Run npm start as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

function lookUpPostgresUser(): { uid: number; gid: number } | undefined {
  const id = (flag: string) =>
    Number.parseInt(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }), 10)
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch (error) {
    // The exit status of id is 1 if there is no such user.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined
    throw error
  }
}
