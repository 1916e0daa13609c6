import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Fields in `/proc/<pid>/stat` behind the name: parent, and ticks of the process and of its ended children. */
const FIELD = { parent: 1, user: 11, system: 12, childrenUser: 13, childrenSystem: 14 } as const

export const figuresOf = (
  processes: Readonly<Record<string, number>>,
  figure: (pid: number) => number,
): Record<string, number> =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, figure(pid)]))

type Row = { parent: number; ticks: number }

const millisecondsPerTick = 1_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/**
 * CPU time of a process and its descendants so far, in milliseconds, from Linux's process table. Its resolution is a
 * tick, usually 10 ms: only differences over many calls count.
 */
export function cpuMilliseconds(root: number): number {
  const table = readTable()
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = table.get(at)?.parent)
      if (at === root) return true
    return false
  }
  let ticks = 0
  for (const [pid, row] of table) if (isBelow(pid)) ticks += row.ticks
  return ticks * millisecondsPerTick
}

function readTable(): Map<number, Row> {
  const table = new Map<number, Row>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const row = readRow(name)
    if (row) table.set(Number(name), row)
  }
  return table
}

/** Undefined for a process that has ended meanwhile. */
function readRow(pid: string): Row | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const { parent, ...times } = FIELD
  return {
    parent: fields[parent]!,
    ticks: Object.values(times).reduce<number>((sum, index) => sum + fields[index]!, 0),
  }
}

/** Memory that a process holds now, in MiB. */
export function residentMiB(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kibibytes === undefined) throw new Error(`the process ${pid} has no memory in the process table`)
  return Number(kibibytes) / 1_024
}
