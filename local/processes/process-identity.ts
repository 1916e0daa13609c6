import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Process id with a stamp, which distinguishes a later process with the same id. */
export type ProcessIdentity = { pid: number; stamp: string }

/** Undefined for no process, or a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stamp = process.platform === 'linux' ? linuxStamp(pid) : psStamp(pid)
  return stamp === undefined ? undefined : { pid, stamp }
}

export function isRunning(process_: ProcessIdentity): boolean {
  return identify(process_.pid)?.stamp === process_.stamp
}

/** Boot and start time: a reused process id, or a restart of the machine, changes the stamp. */
function linuxStamp(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in brackets, which may contain spaces and brackets.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    const startedAt = rest[18]
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${startedAt}`
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

function psStamp(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim()
  } catch (error) {
    // The exit status of ps is 1 if there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined
    throw error
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
}
