import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** One running process, told apart from a later one that was given the same number. */
export type ProcessIdentity = { pid: number; stamp: string }

/** The process that is running under this number now, or undefined when nothing is (a zombie counts as nothing). */
export function identify(pid: number): ProcessIdentity | undefined {
  const stamp = process.platform === 'linux' ? linuxStamp(pid) : psStamp(pid)
  return stamp === undefined ? undefined : { pid, stamp }
}

/** Whether exactly this process is still running. */
export function isRunning(process_: ProcessIdentity): boolean {
  return identify(process_.pid)?.stamp === process_.stamp
}

/** Boot and start time: a number given anew, or a restart of the machine, makes a different stamp. */
function linuxStamp(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in brackets and may itself contain spaces and brackets.
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
    // ps ends with status 1 when there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined
    throw error
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
}
