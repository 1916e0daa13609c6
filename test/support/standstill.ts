import { execFileSync } from 'node:child_process'
import { tool } from './tools.ts'

/** A process, and the processes that it has started itself; by their numbers. */
export interface Family {
  parent: number
  children: number[]
}

/** The processes that a process has started and that run now. */
export async function familyOf(parent: number): Promise<Family> {
  const rows = execFileSync(await tool('ps'), ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const children = rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, of]) => of === parent)
    .map(([pid]) => pid!)
  return { parent, children }
}

/** The processes of PostgreSQL that serve a database at this moment, by their numbers. No statement is run for it. */
export async function backendsOf(database: string): Promise<number[]> {
  const rows = execFileSync(await tool('ps'), ['-A', '-o', 'pid=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, title, , served]) => title === 'postgres:' && served === database)
    .map(([pid]) => Number(pid))
}

/**
 * Has processes stand still, as a paused machine or a stalled disk does: none of their threads does anything, and their
 * connections stay open. Returns what has them go on.
 */
export function standStill(pids: readonly number[]): () => void {
  const stopped = pids.filter((pid) => signal(pid, 'SIGSTOP'))
  return () => stopped.forEach((pid) => signal(pid, 'SIGCONT'))
}

/** False when there is no such process any more. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
