import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'

/** The machine that a benchmark ran on. */
export interface Machine {
  /** The processor's name, operating system and architecture. */
  processor: string
  system: string
  cores: number
  memoryGb: number
  /** Average number of processes that ran or wanted to, over the last minute; the benchmark's own are among them. */
  load: string
}

/** The machine as it is now. */
export const machineOf = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  system: `${platform()} ${arch()}`,
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  load: loadavg()[0]!.toFixed(1),
})
