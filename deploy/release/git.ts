import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { StartupError } from '#local/processes/startup-error.ts'

/** The state of the sources that a release is made of. */
export interface Commit {
  id: string
  /** When it was made, in UTC. */
  at: Date
}

/** The checked-out commit. Throws {@link StartupError} when files differ from it: nobody could tell later what was released. */
export function cleanCommit(project: string): Commit {
  const changed = git(project, ['status', '--porcelain']).toString().trim()
  if (changed !== '')
    throw new StartupError(
      `A release is made of a commit, and these files differ from it. Commit or remove them first:\n${changed}`,
    )
  const [id, at] = git(project, ['log', '-1', '--format=%H %cI']).toString().trim().split(' ') as [
    string,
    string,
  ]
  return { id, at: new Date(at) }
}

/**
 * The files of a commit as tar; the same for the same commit, whose instant every file has.
 *
 * @param folder whose files they are, from the top; all by default
 * @param prefix before every path, ending in `/`
 * @param without patterns of paths that are left out
 */
export function archive(
  project: string,
  {
    commit,
    folder = '.',
    prefix = '',
    without = [],
  }: { commit: Commit; folder?: string; prefix?: string; without?: readonly string[] },
): Buffer {
  const paths = ['.', ...without.map((pattern) => `:(exclude,glob)${pattern}`)]
  // As in the repository, whatever this machine makes of modes and ends of lines.
  const settings = ['-c', 'tar.umask=0022', '-c', 'core.autocrlf=false']
  // Within the folder: a tree that is named by itself has the present instant.
  return git(join(project, folder), [
    ...settings,
    'archive',
    '--format=tar',
    `--prefix=${prefix}`,
    commit.id,
    '--',
    ...paths,
  ])
}

function git(project: string, args: readonly string[]): Buffer {
  return execFileSync('git', args, {
    cwd: project,
    maxBuffer: 1_000_000_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
