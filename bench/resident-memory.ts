import { readFileSync } from 'node:fs'

/** Memory that a process holds now, in MiB, from Linux's process table. */
export function residentMiB(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kibibytes === undefined) throw new Error(`the process ${pid} tells no memory`)
  return Number(kibibytes) / 1_024
}
